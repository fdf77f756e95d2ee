package dev.prpf.mpp.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.Sample;
import dev.prpf.mpp.ensemble.EnsembleModel.LinearMember;
import dev.prpf.mpp.gate.RocCurve;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EnsembleModelTest {
    private static final double CLOSE = 1e-9;
    private static final OutOfFold.Figure NO_INTERVAL = new OutOfFold.Figure(0.5, null);

    private static EnsembleDescription.Member member(
            String name, List<Integer> encoders, @Nullable Double c, double weight, double mean, double deviation) {
        MemberPlan.Terms terms = encoders.isEmpty() && c != null
                ? new MemberPlan.Terms(TextAnalyzer.WORDS, MemberPlan.Terms.Scope.ALL)
                : null;
        return new EnsembleDescription.Member(name, encoders, terms, c, weight, mean, deviation, NO_INTERVAL);
    }

    private static EnsembleDescription describe(List<EnsembleDescription.Member> members) {
        return new EnsembleDescription(
                EnsembleDescription.FORMAT, List.of("length"), List.of("A", "B"), members, 2, 0.5, NO_INTERVAL);
    }

    /**
     * One sample, "abcd" as its only step. The first member's feature is its length minus 1, halved: 1.5, in each of the last two blocks;
     * weights 0.2 and 0.4 and an intercept of 0.1 give log-odds 1.0. The second knows the term "abcd": 1 * 3 - 1 = 2. The perceiver gives
     * -0.5. Standardised: (1 - 0.5) / 2 = 0.25, (2 - 1) / 1 = 1, (-0.5 + 1) / 0.5 = 1. Weighted by 0.5, 0.25, 0.25: 0.625. Slope 2 and
     * intercept 0.5: 1.75.
     */
    @Test
    void mixtureEqualsTheHandCalculation() {
        FeatureExtractor.Blocks blocks = new FeatureExtractor.Blocks(
                List.of(0), new float[][] {{0, 0, 0, 1, 1}}, new float[][] {{1, 1, 1, 0.5f, 0.5f}});
        TfIdfGate.Vectorizer vectorizer =
                new TfIdfGate.Vectorizer(TextAnalyzer.WORDS, Map.of("abcd", 0), new double[] {7});
        List<EnsembleModel.Member> linear = List.of(
                new LinearMember("lengths", blocks, new LogisticRegression(new double[] {0, 0, 0, 0.2, 0.4}, 0.1)),
                new LinearMember(
                        "terms",
                        new FeatureExtractor.Counts(vectorizer, true),
                        new LogisticRegression(new double[] {3}, -1)));
        EnsembleModel model = new EnsembleModel(
                describe(List.of(
                        member("lengths", List.of(0), 1.0, 0.5, 0.5, 2),
                        member("terms", List.of(), 1.0, 0.25, 1, 1),
                        member("perceiver", List.of(), null, 0.25, -1, 0.5))),
                linear,
                null);
        LinearInput input = LinearInput.of(
                List.of(new SampleTexts(List.of("", "", ""), List.of("abcd"))),
                List.of(MadeTexts.vectors("length", 1, text -> new float[] {text.length()})));

        double[][] logits = model.logits(input, new double[][] {{-0.5, 3, -4}});

        assertThat(logits).hasDimensions(1, 3);
        assertThat(logits[0]).containsExactly(new double[] {1.75, 3, -4}, within(CLOSE));
        assertThat(model.flops()).isEqualTo(2 * 5);
    }

    private static EnsembleTrainer.Labelled labelled(List<Sample> samples) {
        int[] folds = IntStream.range(0, samples.size()).map(i -> i % 3).toArray();
        List<Integer> groups = IntStream.range(0, samples.size()).boxed().toList();
        return new EnsembleTrainer.Labelled(
                MadeTexts.input(samples), MadeTexts.acts(samples), MadeTexts.scenarios(samples), folds, groups);
    }

    private static double[][][] outOfFold(EnsembleTrainer.Labelled samples, List<MemberPlan> plans) {
        double[][][] scores = new double[plans.size()][2][samples.folds().length];
        for (int fold = 0; fold < 3; fold++) {
            int own = fold;
            int[] held = places(samples, i -> samples.folds()[i] == own);
            int[] seen = places(samples, i -> samples.folds()[i] != own);
            for (int m = 0; m < plans.size(); m++) {
                double[][] its = plans.get(m).scores(samples.input(), samples.targets(), seen, held);
                for (int c = 0; c < 2; c++) {
                    for (int k = 0; k < held.length; k++) {
                        scores[m][c][held[k]] = its[c][k];
                    }
                }
            }
        }
        return scores;
    }

    private static int[] places(EnsembleTrainer.Labelled samples, IntPredicate wanted) {
        return IntStream.range(0, samples.folds().length).filter(wanted).toArray();
    }

    static EnsembleModel trained(List<Sample> samples) {
        List<MemberPlan> plans = OutOfFoldTest.plans();
        EnsembleTrainer.Labelled labelled = labelled(samples);
        return new EnsembleTrainer(plans, List.of("letters", "lengths"), MadeTexts.CATALOG.names())
                .train(labelled, outOfFold(labelled, plans), null);
    }

    @Test
    void trainedEnsembleClassifiesNewSamplesAndScenarios() {
        EnsembleModel model = trained(MadeTexts.samples(150, 3));
        List<Sample> fresh = MadeTexts.samples(120, 4);

        double[][] logits = model.logits(MadeTexts.input(fresh), null);

        double[] trigger = Arrays.stream(logits).mapToDouble(row -> row[0]).toArray();
        assertThat(RocCurve.area(trigger, MadeTexts.acts(fresh))).isGreaterThan(0.8);
        boolean[][] scenarios = MadeTexts.scenarios(fresh);
        List<Integer> acting = IntStream.range(0, fresh.size())
                .filter(i -> fresh.get(i).wantsIntervention())
                .boxed()
                .toList();
        long right = acting.stream()
                .filter(i -> (logits[i][1] > logits[i][2]) == scenarios[i][0])
                .count();
        assertThat((double) right / acting.size()).isGreaterThan(0.75);
        assertThat(model.description().members())
                .extracting(EnsembleDescription.Member::name)
                .containsExactly(
                        "letters + LR", "lengths + LR", "all encoders + LR", "TF-IDF + LR", "TF-IDF of all steps + LR");
        assertThat(model.description().members().stream()
                        .mapToDouble(EnsembleDescription.Member::weight)
                        .sum())
                .isCloseTo(1, within(CLOSE));
        assertThat(model.description().mixture().value()).isGreaterThan(0.8);
    }

    @Test
    void untrainedScenarioGetsItsSmoothedShare() {
        double[][] rows = {{1}, {-1}, {2}};
        ScenarioHeads heads = ScenarioHeads.train(
                new DesignRows.Dense(rows), 1, new boolean[][] {{false, true}, {false, false}, {false, true}}, 1);

        double[][] logits = heads.logits(new DesignRows.Dense(rows));

        assertThat(logits[0][0]).isCloseTo(Math.log(1.0 / 4), within(CLOSE));
        assertThat(logits[1][0]).isEqualTo(logits[0][0]);
        assertThat(logits[0][1]).isGreaterThan(logits[1][1]);
    }

    @Test
    void invalidDescriptionIsRejected() {
        assertThatThrownBy(() -> describe(List.of())).hasMessage("members = 0 must be at least 1");
        assertThatThrownBy(() -> describe(List.of(
                        member("perceiver", List.of(), null, 0.5, 0, 1), member("x", List.of(0), 1.0, 0.5, 0, 1))))
                .hasMessageContaining("a number for all members but the last");
        assertThatThrownBy(() -> member("x", List.of(0), 1.0, 2, 0, 1)).hasMessage("weight = 2.0 must be in [0, 1]");
    }
}
