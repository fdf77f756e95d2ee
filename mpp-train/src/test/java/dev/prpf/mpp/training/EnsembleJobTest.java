package dev.prpf.mpp.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.ensemble.MadeTexts;
import dev.prpf.mpp.perceive.LabelledPerceptions.LabelledPerception;
import dev.prpf.mpp.split.SampleSplit.Split;
import dev.prpf.mpp.split.SplitRecord;
import dev.prpf.mpp.threshold.TriggerThreshold;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ensembles over encoders without weights: a training killed at any fold gives the numbers of an uninterrupted one. */
@Tag("slow")
class EnsembleJobTest {
    private static final Path SHIPPED = Path.of(System.getProperty("prpf.root", ".."), "configs", "gate-ensemble.yaml");
    private static final List<String> SMALL = List.of(
            "folds=3",
            "text-encoders=[bge-small-en-v1.5, e5-small-v2]",
            "vectors.c=[0.3, 3]",
            "calibration.share=0.1",
            "calibration.method=temperature");
    private static final List<String> PERCEIVER = List.of(
            "perceiver.network.dimension=16",
            "perceiver.network.feed-forward=16",
            "perceiver.network.heads=2",
            "perceiver.training.epochs=2");
    private static final FunctionPool POOL = new FunctionPool(List.of(
            new FunctionSpec("ride", "travel", List.of(), List.of()),
            new FunctionSpec("buy", "shop", List.of(), List.of())));

    @TempDir
    static Path undisturbed;

    private static EnsembleJob.Result first;

    private static EnsembleConfig config(boolean perceiver, String... more) {
        List<String> overrides = new ArrayList<>(SMALL);
        overrides.addAll(perceiver ? PERCEIVER : List.of("perceiver=null"));
        overrides.addAll(List.of(more));
        return StrictYaml.read(SHIPPED, EnsembleConfig.class, overrides);
    }

    private static EnsembleData data(List<Sample> samples) {
        List<SampleFeatures> features = samples.stream()
                .map(sample -> new SampleFeatures(
                        sample.id(),
                        MadeTexts.COUNTED.encode(sample.context().texts().stream()
                                .map(text -> text.isEmpty() ? " " : text)
                                .toList()),
                        MadeTexts.COUNTED.encode(sample.trajectory().texts()),
                        new boolean[2],
                        sample.wantsIntervention(),
                        MadeTexts.CATALOG.labelsOf(sample)))
                .toList();
        return new EnsembleData(new LabelledData(samples, features), MadeTexts.input(samples));
    }

    private static EnsembleJob.Result train(EnsembleConfig config, List<Sample> samples, Path directory, boolean stop) {
        TrainingJob perceiver =
                config.perceiver() == null ? null : new TrainingJob(MadeTexts.CATALOG, POOL, "letters", "none", 26);
        EnsembleJob job = new EnsembleJob(config, MadeTexts.CATALOG, POOL, List.of("letters", "lengths"), perceiver);
        RunDescription description = new RunDescription(
                "gate train", List.of("--ensemble"), StrictYaml.write(config), Map.of("data", "made"));
        List<Sample> test = MadeTexts.samples(30, 99).stream()
                .map(sample -> new Sample(
                        "t" + sample.id(), 1, null, null, sample.context(), sample.trajectory(), sample.answers()))
                .toList();
        try (StopSignal signal = StopSignal.install();
                RunDirectory run = RunDirectory.open(directory, Resume.AUTO, description)) {
            if (stop) {
                signal.request();
            }
            return job.run(data(samples), data(test), new EnsembleJob.Place(run, description, signal));
        }
    }

    @BeforeAll
    static void trainUndisturbed() {
        first = train(config(true), MadeTexts.samples(150, 1), undisturbed, false);
    }

    @Test
    void theResultCountsTheSplitsAndGivesEachMemberItsWeight() {
        EnsembleJob.Counts counts = first.counts();
        assertThat(counts.train() + counts.dev() + counts.calibration()).isEqualTo(150);
        assertThat(counts.dev()).isBetween(28, 32);
        assertThat(counts.calibration()).isBetween(13, 17);
        assertThat(counts.test()).isEqualTo(30);
        assertThat(counts.different()).isEqualTo(counts.train());
        assertThat(first.members())
                .extracting(EnsembleJob.Figures::name)
                .containsExactly(
                        "mixture",
                        "bge-small-en-v1.5 + LR",
                        "e5-small-v2 + LR",
                        "all encoders + LR",
                        "TF-IDF + LR",
                        "TF-IDF of all steps + LR",
                        "perceiver");
        assertThat(first.members()).extracting(EnsembleJob.Figures::primary).containsOnlyOnce(true);
        assertThat(first.members().stream()
                        .skip(1)
                        .mapToDouble(EnsembleJob.Figures::weight)
                        .sum())
                .isCloseTo(1, within(1e-9));
        assertThat(first.members().get(0).auc()).isGreaterThan(0.75);
        assertThat(first.members()).allSatisfy(member -> assertThat(member.aucCi())
                .isNotNull()
                .satisfies(interval -> assertThat(member.auc()).isBetween(interval.low(), interval.high())));
    }

    @Test
    void sweepAndPredictAcceptTheRun() {
        EnsembleRun run = new EnsembleRun(undisturbed);

        assertThat(MppRun.of(undisturbed)).isInstanceOf(EnsembleRun.class);
        assertThat(run.config()).isEqualTo(config(true));
        for (Split split : List.of(Split.DEV, Split.CALIBRATION, Split.TEST)) {
            assertThat(run.perceptions(split).samples())
                    .allSatisfy(sample -> assertThat(sample.scenarios()).containsOnlyKeys("Travel", "Shopping"));
        }
        assertThat(run.split().entries())
                .extracting(SplitRecord.Entry::split)
                .contains(Split.TRAIN, Split.DEV, Split.CALIBRATION)
                .doesNotContain(Split.TEST);
        TriggerThreshold threshold = run.choose(run.config().threshold());
        run.write(threshold);
        assertThat(run.threshold()).isEqualTo(threshold);
        assertThat(threshold.modelSha256()).isEqualTo(run.weightsSha256());
    }

    @Test
    void outOfFoldScoresChooseTheThresholdWithoutADevShare(@TempDir Path folder) throws IOException {
        List<Sample> samples = MadeTexts.samples(60, 2);
        EnsembleConfig config = config(
                false, "steps={analyzer: words}", "vectors=null", "tf-idf=null", "dev-share=0", "calibration.share=0");
        EnsembleJob.Result result = train(config, samples, folder.resolve("run"), false);
        EnsembleRun run = new EnsembleRun(folder.resolve("run"));

        assertThat(List.of(result.counts().train(), result.counts().dev())).containsExactly(60, 60);
        assertThat(run.perceptions(Split.DEV).samples())
                .extracting(LabelledPerception::id)
                .containsExactlyElementsOf(samples.stream().map(Sample::id).toList());
        double[][] seen = run.files().read().logits(MadeTexts.input(samples), null);
        assertThat(loss(run.perceptions(Split.DEV).logits(), samples))
                .as("scores of samples that the training did not see")
                .isGreaterThan(loss(Stream.of(seen).mapToDouble(row -> row[0]).toArray(), samples));

        run.write(run.choose(config.threshold()));
        Path copied = Files.createDirectory(folder.resolve("copy"));
        run.copyModel(copied);
        EnsembleRun copy = new EnsembleRun(copied);
        assertThat(copy.threshold()).isEqualTo(run.threshold());
        assertThat(copy.sha256()).isEqualTo(run.sha256());
        assertThat(copy.files().read().logits(MadeTexts.input(samples), null)).isDeepEqualTo(seen);
        assertThat(copied.resolve("ensemble/scores")).as("training state").doesNotExist();
    }

    private static double loss(double[] logits, List<Sample> samples) {
        return IntStream.range(0, logits.length)
                .mapToDouble(i -> Math.log1p(Math.exp(samples.get(i).wantsIntervention() ? -logits[i] : logits[i])))
                .sum();
    }

    private static List<LabelledPerception> answers(Path run, Split split) {
        return new EnsembleRun(run).perceptions(split).samples();
    }

    private static void assertSame(Path run) throws IOException {
        for (String file : List.of(
                "split.jsonl",
                "dev.jsonl",
                "calibration.jsonl",
                "test.jsonl",
                "calibration.json",
                "ensemble/ensemble.json",
                "ensemble/vocabulary.3.txt",
                "ensemble/vocabulary.4.txt")) {
            assertThat(run.resolve(file)).hasSameTextualContentAs(undisturbed.resolve(file));
        }
        assertThat(run.resolve("ensemble/linear.safetensors"))
                .hasSameBinaryContentAs(undisturbed.resolve("ensemble/linear.safetensors"));
        assertThat(new EnsembleRun(run).sha256()).isEqualTo(new EnsembleRun(undisturbed).sha256());
    }

    @Test
    void repeatedlyStoppedTrainingGivesTheSameNumbers(@TempDir Path run) throws IOException {
        int stops = 0;
        EnsembleJob.Result result = null;
        while (result == null && stops < 60) {
            try {
                result = train(config(true), MadeTexts.samples(150, 1), run, true);
            } catch (PrpfException e) {
                assertThat(ExitCode.of(e)).as(e.getMessage()).isEqualTo(ExitCode.CHECKPOINTED);
                stops++;
                if (stops > 25) {
                    result = train(config(true), MadeTexts.samples(150, 1), run, false);
                }
            }
        }

        assertThat(stops).as("15 scores, then steps of perceivers").isGreaterThan(15);
        assertThat(result).isEqualTo(first);
        assertSame(run);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ensemble/scores/fold_1.member_2.jsonl", "ensemble/ensemble.json", "dev.jsonl"})
    void killedBeforeAFileItComesToTheSameNumbers(String lost, @TempDir Path run) throws IOException {
        try (Stream<Path> files = Files.walk(undisturbed)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = run.resolve(undisturbed.relativize(file));
                Files.createDirectories(copy.resolveSibling("."));
                Files.copy(file, copy);
            }
        }
        Files.delete(run.resolve(lost));
        Files.deleteIfExists(run.resolve("ensemble/ensemble.json"));
        Files.deleteIfExists(run.resolve("dev.jsonl"));

        assertThat(train(config(true), MadeTexts.samples(150, 1), run, false)).isEqualTo(first);
        assertSame(run);
    }

    @Test
    void withoutAPerceiverTheScenariosHaveRegressions(@TempDir Path run) {
        EnsembleJob.Result result = train(config(false), MadeTexts.samples(150, 1), run, false);

        assertThat(result.members()).extracting(EnsembleJob.Figures::name).doesNotContain("perceiver");
        assertThat(run.resolve("ensemble/perceiver")).doesNotExist();
        List<LabelledPerception> acting = answers(run, Split.TEST).stream()
                .filter(LabelledPerception::acts)
                .toList();
        long right = acting.stream()
                .filter(sample ->
                        sample.answerScenarios().containsAll(sample.perception().top(1)))
                .count();
        assertThat((double) right / acting.size()).isGreaterThan(0.7);
    }

    @Test
    void nearDuplicatesStayOnOneSideAndCountOnce(@TempDir Path run) {
        List<Sample> samples = new ArrayList<>(MadeTexts.samples(120, 2));
        for (Sample sample : List.copyOf(samples.subList(0, 40))) {
            samples.add(new Sample(
                    "again " + sample.id(), 1, null, null, sample.context(), sample.trajectory(), sample.answers()));
        }

        EnsembleJob.Result result = train(config(false, "calibration.share=0"), samples, run, false);

        Map<String, Split> splits = new EnsembleRun(run)
                .split().entries().stream().collect(Collectors.toMap(SplitRecord.Entry::id, SplitRecord.Entry::split));
        for (int i = 0; i < 40; i++) {
            assertThat(splits.get("again s" + i)).isEqualTo(splits.get("s" + i));
        }
        long twice = splits.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("again") && entry.getValue() == Split.TRAIN)
                .count();
        assertThat(result.counts().different()).isEqualTo(result.counts().train() - (int) twice);
    }

    @Test
    void tooFewSamplesForTheFoldsAreRejected(@TempDir Path run) {
        assertThatThrownBy(() -> train(config(false, "folds=12"), MadeTexts.samples(30, 3), run, false))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageMatching("the training part holds \\d+ different silent samples \\(near-duplicates count"
                        + " once\\), folds = 12: at least one for each fold is needed; give more data, or fewer folds"
                        + " with --set folds=2");
    }

    @Test
    void tooFewSamplesForAFoldsDevPartAreRejectedFirst(@TempDir Path run) {
        assertThatThrownBy(() ->
                        train(config(true, "perceiver.training.dev-share=0.01"), MadeTexts.samples(60, 3), run, false))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageMatching(
                        "the perceiver of fold 0 would be trained on \\d+ samples, perceiver.training.dev-share = 0.01"
                                + " of them held out: the dev part of the samples.*; or train without it, --set"
                                + " perceiver=null");
        assertThat(run.resolve("ensemble")).doesNotExist();
    }
}
