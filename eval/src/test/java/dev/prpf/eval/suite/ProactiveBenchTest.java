package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.eval.suite.ProactiveBench.ReleasedDecisions;
import dev.prpf.mpp.ensemble.NestedFolds;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.gate.RocCurve;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProactiveBenchTest {
    @TempDir
    Path folder;

    @Test
    void theReleasedFilesHold313PointsOf16Traces() {
        List<DecisionPoint> points = RealData.bench().points();

        assertThat(points).hasSize(313);
        assertThat(points.stream().filter(DecisionPoint::helpNeeded)).hasSize(123);
        assertThat(NestedFolds.positionsByKey(DecisionPoint.groups(points))).hasSize(16);
    }

    @Test
    void theRealPointsAre233Of12Traces() {
        List<DecisionPoint> real = RealData.bench().real();

        assertThat(real).hasSize(233);
        assertThat(real.stream().filter(DecisionPoint::helpNeeded)).hasSize(78);
        assertThat(NestedFolds.positionsByKey(DecisionPoint.groups(real))).hasSize(12);
    }

    @Test
    void everyReleasedTestObservationStandsInTheTrainingFileToo() throws IOException {
        Path data = RealData.proactiveBench().find("reward_data");
        List<String> test = Files.readAllLines(data.resolve("test_data.jsonl"));
        Files.createDirectories(folder.resolve("reward_data"));
        Files.copy(data.resolve("train_data.jsonl"), folder.resolve("reward_data/train_data.jsonl"));
        Files.writeString(folder.resolve("reward_data/test_data.jsonl"), "");

        assertThat(test).hasSize(120);
        assertThat(ProactiveBench.read(data()).points()).hasSize(313);
    }

    @Test
    void baselinesComeOutAsWithScikitLearn() {
        List<DecisionPoint> real = RealData.bench().real();
        ConfusionMatrix always = counts(BaselineGates.always(true, real));
        ConfusionMatrix search = counts(BaselineGates.searchRule(real));
        Scored tfIdf = alone(real, BaselineGates.tfIdf());
        Scored bayes = alone(real, BaselineGates.naiveBayes());

        assertThat(always.f1()).isCloseTo(50.16, within(0.005));
        assertThat(search).isEqualTo(new ConfusionMatrix(42, 25, 130, 36));
        assertThat(counts(tfIdf)).isEqualTo(new ConfusionMatrix(41, 33, 122, 37));
        assertThat(RocCurve.area(scores(tfIdf), tfIdf.labels())).isCloseTo(0.7355, within(0.00005));
        assertThat(counts(bayes)).isEqualTo(new ConfusionMatrix(42, 39, 116, 36));
        assertThat(RocCurve.area(scores(bayes), bayes.labels())).isCloseTo(0.7239, within(0.00005));
    }

    private static Scored alone(List<DecisionPoint> points, GateTrainer trainer) {
        NestedFolds folds = NestedFolds.leaveOneOut(MadePoints.groups(points), 6);
        return NestedScores.of(points, folds, trainer, "alone").at(0.5);
    }

    @Test
    void theReleasedModelsDecisionsComeOutAsInTheNotes() {
        Map<String, Scored> models = ReleasedDecisions.read(
                RealData.proactiveBench(), RealData.bench().real());

        assertThat(models).hasSize(15);
        ConfusionMatrix gpt = counts(models.get("gpt-4o"));
        assertThat(gpt.total()).isEqualTo(227);
        assertThat(gpt.f1()).isCloseTo(52.38, within(0.005));
        assertThat(gpt.falseTriggerRate()).isCloseTo(93.29, within(0.005));
        ConfusionMatrix qwen = counts(models.get("qwen2-72b-instruct"));
        assertThat(qwen.f1()).isCloseTo(62.66, within(0.005));
        assertThat(qwen.falseTriggerRate()).isCloseTo(55.03, within(0.005));
        ConfusionMatrix tuned = counts(models.get("activeqwen"));
        assertThat(tuned.f1()).isCloseTo(51.83, within(0.005));
        assertThat(tuned.falseTriggerRate()).isCloseTo(97.32, within(0.005));
        ConfusionMatrix claude = counts(models.get("claude-3-5-sonnet"));
        assertThat(claude.total()).isEqualTo(206);
        assertThat(claude.f1()).isCloseTo(54.33, within(0.005));
    }

    @Test
    void releasedDecisionsAreJoinedByTraceAndTime() throws IOException {
        MadeBenchmarks.proactiveBench(folder);
        DataFolder made = DataFolder.of(ProactiveBench.SUITE, folder, Map.of());
        List<DecisionPoint> real = ProactiveBench.read(made).real();

        Map<String, Scored> models = ReleasedDecisions.read(made, real);

        assertThat(ProactiveBench.read(made).points()).hasSize(39);
        assertThat(real).hasSize(36);
        assertThat(models).containsOnlyKeys("echo");
        Scored echo = java.util.Objects.requireNonNull(models.get("echo"));
        assertThat(echo.points()).hasSize(35).doesNotContain(real.get(2));
        assertThat(echo.scores()).isNull();
        for (int i = 0; i < 35; i++) {
            assertThat(echo.decisions()[i])
                    .isEqualTo(echo.points().get(i).lastText().contains("searches"));
        }
        Files.delete(made.find("code_12.json"));
        assertThatThrownBy(() -> ReleasedDecisions.read(made, real))
                .hasMessageContaining("code_12.json is missing; get");
    }

    @Test
    void anArchiveThatLacksATraceOrIsNoneIsRefused() throws IOException {
        MadeBenchmarks.proactiveBench(folder);
        DataFolder made = DataFolder.of(ProactiveBench.SUITE, folder, Map.of());
        List<DecisionPoint> real = ProactiveBench.read(made).real();
        Path archive = made.find("model_traces.zip");
        try (FileSystem zip = FileSystems.newFileSystem(archive)) {
            Files.delete(zip.getPath("eval/traces_new/echo/writing_16.json"));
        }
        assertThatThrownBy(() -> ReleasedDecisions.read(made, real))
                .hasMessageContaining("model_traces.zip at /eval/traces_new/echo/writing_16.json: is missing; use");
        Files.writeString(archive, "no archive");
        assertThatThrownBy(() -> ReleasedDecisions.read(made, real))
                .hasMessageContaining("model_traces.zip at as a whole: cannot be read: ");
    }

    @Test
    void aMissingFileSaysWhereTheDataComeFrom() {
        assertThatThrownBy(() -> ProactiveBench.read(data()))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("reward_data is missing below " + folder)
                .hasMessageContaining("thunlp/ProactiveAgent at commit 86383616")
                .hasMessageContaining("--data");
    }

    @Test
    void brokenLinesAreNamed() throws IOException {
        String good = "{\"obs\": [{\"time\": \"1\", \"event\": \"a\"}], \"help_needed\": true}\n";
        assertThatThrownBy(() -> read(good + "{\"obs\""))
                .hasMessageContaining("train_data.jsonl at line 2: is not JSON");
        assertThatThrownBy(() -> read(good + "{\"obs\": [], \"help_needed\": true}"))
                .hasMessageContaining("line 2/obs: is [], must be a list that is not empty");
        assertThatThrownBy(() -> read(good + "{\"obs\": [{\"time\": 1, \"event\": \"a\"}], \"help_needed\": true}"))
                .hasMessageContaining("line 2/obs/0/time: is 1, must be a text");
        assertThatThrownBy(() -> read(good + good.replace("true", "7")))
                .hasMessageContaining("line 2/help_needed: is 7, must be true or false");
        assertThatThrownBy(() -> read(good + good.replace("true", "false")))
                .hasMessageContaining(
                        "line 2/help_needed: is false, must equal that of an earlier row with the same obs")
                .hasMessageContaining("use the files of github.com/thunlp/ProactiveAgent at commit 86383616");
    }

    private DataFolder data() {
        return new DataFolder(folder, ProactiveBench.SUITE.source());
    }

    private ProactiveBench read(String lines) throws IOException {
        Files.createDirectories(folder.resolve("reward_data"));
        Files.writeString(folder.resolve("reward_data/train_data.jsonl"), lines);
        Files.writeString(folder.resolve("reward_data/test_data.jsonl"), "");
        return ProactiveBench.read(data());
    }

    private static ConfusionMatrix counts(@org.jspecify.annotations.Nullable Scored scored) {
        assertThat(scored).isNotNull();
        return ConfusionMatrix.of(java.util.Objects.requireNonNull(scored).decisions(), scored.labels());
    }

    private static double[] scores(Scored scored) {
        return java.util.Objects.requireNonNull(scored.scores());
    }
}
