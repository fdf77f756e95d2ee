package dev.prpf.mpp.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.Sample;
import dev.prpf.mpp.ensemble.TfIdfGate.Vectorizer;
import dev.prpf.mpp.gate.RocCurve;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StepClassifierTest {
    private static final int FOLDS = 2;

    private static StepClassifier classifier(double... parameters) {
        Vectorizer vectorizer = new Vectorizer(TextAnalyzer.WORDS, Map.of(), new double[0]);
        return new StepClassifier(vectorizer, 1, 1, parameters);
    }

    /**
     * Steps with vectors 1 and 1, scaled to 8: w = 0.25 and b = 0 score 2 for each. u = 0, e = 0: d = ln 2. k = 0, m = 0: g = 1/2. The first
     * step keeps 2 - ln 2 / 2 = 1.65343. The log-sum-exp with 2 is 2.53483, and silence has 1: P(silence) = 1 / (1 + e^1.53483) = 0.17729.
     */
    @Test
    void probabilitiesEqualTheHandCalculation() {
        StepClassifier classifier = classifier(0.25, 0, 0, 0, 0, 0, 1);

        double[] p = classifier.probabilities(new StepClassifier.Steps(List.of("a", "b"), new float[][] {{1}, {1}}));

        assertThat(p).containsExactly(new double[] {0.17729, 0.82271}, within(1e-5));
    }

    @Test
    void laterStepThatIsAlikeWithdrawsTheNeed() {
        StepClassifier classifier = classifier(0.25, 0, 0, 5, 1, 0, 0);
        float[][] alike = {{1}, {0.5f}};
        float[][] other = {{1}, {-0.5f}};

        double withdrawn = classifier.probabilities(new StepClassifier.Steps(List.of("a", "b"), alike))[1];
        double kept = classifier.probabilities(new StepClassifier.Steps(List.of("a", "b"), other))[1];

        assertThat(kept).isGreaterThan(withdrawn + 0.1);
    }

    @Test
    void trainedMemberClassifiesNewSamplesAndSurvivesItsFiles(@TempDir Path directory) throws IOException {
        List<Sample> samples = MadeTexts.samples(150, 3);
        List<Sample> fresh = MadeTexts.samples(120, 4);
        int[] folds = IntStream.range(0, samples.size()).map(i -> i % FOLDS).toArray();
        EnsembleTrainer.Labelled labelled = new EnsembleTrainer.Labelled(
                MadeTexts.input(samples),
                MadeTexts.acts(samples),
                MadeTexts.scenarios(samples),
                folds,
                IntStream.range(0, samples.size()).boxed().toList());
        MemberPlan plan = MemberPlan.ofSteps(TextAnalyzer.WORDS);
        double[] scores = new double[samples.size()];
        for (int fold = 0; fold < FOLDS; fold++) {
            int own = fold;
            int[] held = IntStream.range(0, folds.length)
                    .filter(i -> folds[i] == own)
                    .toArray();
            int[] seen = IntStream.range(0, folds.length)
                    .filter(i -> folds[i] != own)
                    .toArray();
            double[] its = plan.scores(labelled.input(), labelled.targets(), seen, held)[0];
            IntStream.range(0, held.length).forEach(k -> scores[held[k]] = its[k]);
        }
        EnsembleModel model = new EnsembleTrainer(
                        List.of(plan), List.of("letters", "lengths"), MadeTexts.CATALOG.names())
                .train(labelled, new double[][][] {{scores}}, null);

        double[][] logits = model.logits(MadeTexts.input(fresh), null);

        double[] trigger = Arrays.stream(logits).mapToDouble(row -> row[0]).toArray();
        assertThat(RocCurve.area(trigger, MadeTexts.acts(fresh))).isGreaterThan(0.8);
        boolean[][] scenarios = MadeTexts.scenarios(fresh);
        long right = IntStream.range(0, fresh.size())
                .filter(i -> fresh.get(i).wantsIntervention() && (logits[i][1] > logits[i][2]) == scenarios[i][0])
                .count();
        long acting = fresh.stream().filter(Sample::wantsIntervention).count();
        assertThat((double) right / acting).isGreaterThan(0.75);
        assertThat(model.flops()).isZero();
        EnsembleFiles files = new EnsembleFiles(directory);
        files.write(model);
        double[][] read = files.read().logits(MadeTexts.input(fresh), null);
        IntStream.range(0, read.length).forEach(i -> assertThat(read[i]).containsExactly(logits[i], within(1e-4)));
        Path arrays = directory.resolve("linear.safetensors");
        String bytes = Files.readString(arrays, StandardCharsets.ISO_8859_1);
        Files.writeString(arrays, bytes.replace("member.0.steps.2", "member.0.steps.1"), StandardCharsets.ISO_8859_1);
        assertThatThrownBy(files::read)
                .as("weights of another order")
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("member.0.steps.2");
    }
}
