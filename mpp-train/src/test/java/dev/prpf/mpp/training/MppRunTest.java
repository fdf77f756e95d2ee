package dev.prpf.mpp.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.calibration.ProbabilityCalibration.FittedCalibration;
import dev.prpf.mpp.perceive.LabelledPerceptions;
import dev.prpf.mpp.perceive.LabelledPerceptions.LabelledPerception;
import dev.prpf.mpp.split.SampleSplit.Split;
import dev.prpf.mpp.split.SplitRecord;
import dev.prpf.mpp.threshold.LearnThenTest;
import dev.prpf.mpp.threshold.ThresholdRule;
import dev.prpf.mpp.threshold.TriggerThreshold;
import dev.prpf.mpp.threshold.TriggerThreshold.Risk;
import dev.prpf.mpp.training.TrainedRun.PoolSizes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a run: names, content, and messages if one is missing, damaged or of other weights. */
class MppRunTest {
    private static final List<String> THRESHOLD_KEYS =
            List.of("threshold", "recall", "specificity", "constraint", "curve");

    @TempDir
    Path directory;

    private MppRun.Single run() {
        return new MppRun.Single(directory);
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(directory.resolve(name), text);
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(ExitCode code, ThrowingCallable call) {
        return assertThatThrownBy(call).isInstanceOfSatisfying(PrpfException.class, e -> assertThat(ExitCode.of(e))
                .isEqualTo(code));
    }

    private static LabelledPerceptions made(Split split, int n, double silentP, double actingP) {
        List<LabelledPerception> samples = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            boolean acts = i % 2 == 0;
            samples.add(new LabelledPerception(
                    "s" + i,
                    0.25,
                    acts ? actingP : silentP,
                    Map.of("A", 0.5),
                    List.of(acts ? Set.of("A") : Set.of()),
                    acts));
        }
        return new LabelledPerceptions(split, samples);
    }

    @Test
    void perceptionsAreReadAsTheyWereWritten() throws IOException {
        LabelledPerceptions made = made(Split.TEST, 4, 0.1, 0.6);
        run().write(made);
        assertThat(run().has(Split.TEST)).isTrue();
        assertThat(run().perceptions(Split.TEST)).isEqualTo(made);
        assertThat(Files.readAllLines(directory.resolve("test.jsonl")).get(0))
                .isEqualTo("{\"id\":\"s0\",\"acts\":true,\"logit\":0.25,\"p_trigger\":0.6,\"scenarios\":{\"A\":0.5},"
                        + "\"answers\":[[\"A\"]],\"in_distribution\":true}");
        assertRefused(ExitCode.UNAVAILABLE, () -> run().perceptions(Split.DEV))
                .hasMessageContaining("dev.jsonl: does not exist; it is written when `prpf gate train --run-dir");
    }

    @Test
    void aDamagedLineOfPerceptionsNamesItsPlace() throws IOException {
        run().write(made(Split.TEST, 2, 0.1, 0.6));
        String whole = Files.readString(directory.resolve("test.jsonl"));
        Map<String, String> messages = Map.of(
                whole.replaceFirst(",\"in_distribution\":true", ""), "in_distribution",
                whole.replaceFirst("0\\.6", "1.6"), "p_trigger = 1.6, must lie in [0, 1]",
                whole.replaceFirst("\"A\":0\\.5", "\"A\":null"), "probability of scenario A = null",
                whole.replaceFirst("\\[\\[\"A\"\\]\\]", "[]"), "sample s0 has no valid answer",
                whole.replaceFirst("0\\.25", "\"x\""), "x");
        for (Map.Entry<String, String> one : messages.entrySet()) {
            write("test.jsonl", one.getKey());
            assertRefused(ExitCode.BAD_DATA, () -> run().perceptions(Split.TEST))
                    .hasMessageContaining("test.jsonl:1: is no labelled perception")
                    .hasMessageContaining(one.getValue())
                    .hasMessageEndingWith("restore it or remove that folder first");
        }
    }

    @Test
    void thresholdIsReadAsWrittenAndHasItsCurve() throws IOException {
        run().write(made(Split.DEV, 40, 0.1, 0.6));
        TriggerThreshold chosen = run().choose(new ThresholdRule.MinRecall(75));
        run().write(chosen);
        assertThat(run().threshold()).isEqualTo(chosen);
        JsonNode json =
                new ObjectMapper().readTree(directory.resolve("threshold.json").toFile());
        assertThat(json.fieldNames()).toIterable().containsExactlyElementsOf(THRESHOLD_KEYS);
        assertRefused(ExitCode.UNAVAILABLE, () -> new MppRun.Single(directory.resolve("other")).threshold())
                .hasMessageContaining("gate sweep --gate");
    }

    @Test
    void incompleteThresholdFileIsBadData() throws IOException {
        String rest = ",\"recall\":90,\"specificity\":50,\"constraint\":\"recall >= 90\",\"curve\":[]}";
        Map<String, String> messages = new LinkedHashMap<>();
        messages.put("null", "is no threshold: null");
        messages.put("{\"threshold\"", "Unexpected end-of-input");
        messages.put("{" + rest.substring(1), "threshold");
        messages.put("{\"threshold\":null" + rest, "threshold");
        messages.put("{\"threshold\":7" + rest, "threshold = 7.0 must be in [0, 1]");
        messages.put("{\"threshold\":0.5" + rest.replace("90,", "101,"), "recall = 101.0 must be in [0, 100]");
        messages.put(
                "{\"threshold\":0.5" + rest.replace("[]", "[{\"tau\":2,\"recall\":1,\"specificity\":1}]"),
                "tau = 2.0 must be in [0, 1]");
        messages.put("{\"threshold\":0.5" + rest.replace("[]", "null"), "curve");
        for (Map.Entry<String, String> one : messages.entrySet()) {
            write("threshold.json", one.getKey());
            assertRefused(ExitCode.BAD_DATA, () -> run().threshold())
                    .hasMessageContaining("threshold.json: is no threshold")
                    .hasMessageContaining(one.getValue());
        }
    }

    @Test
    void thresholdOfOtherWeightsIsBadData() {
        run().write(made(Split.DEV, 40, 0.1, 0.6));
        run().write(new FittedCalibration(new ProbabilityCalibration.None(), "a1".repeat(32)));
        TriggerThreshold chosen = run().choose(new ThresholdRule.Fixed(0.5));
        assertThat(chosen.modelSha256()).isEqualTo("a1".repeat(32));
        run().write(chosen);
        assertThat(run().threshold()).isEqualTo(chosen);

        run().write(new FittedCalibration(new ProbabilityCalibration.None(), "b2".repeat(32)));
        assertRefused(ExitCode.BAD_DATA, () -> run().threshold())
                .hasMessageContaining("threshold.json: was chosen with weights a1a1")
                .hasMessageContaining("belongs to b2b2")
                .hasMessageContaining("gate sweep --gate " + directory);
    }

    @Test
    void boundIsRejectedOnSeenSamples() {
        run().write(made(Split.DEV, 40, 0.1, 0.6));
        ThresholdRule rule = new LearnThenTest(Risk.FTR, 5, 90);
        List<SplitRecord.Entry> entries = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            entries.add(new SplitRecord.Entry("s" + i, "content " + i, Split.CALIBRATION));
        }
        entries.add(new SplitRecord.Entry("t", "another", Split.TRAIN));
        run().write(new SplitRecord(entries), List.of());
        assertThat(run().split()).isEqualTo(new SplitRecord(entries));
        assertRefused(ExitCode.UNAVAILABLE, () -> run().choose(rule))
                .as("the run has calibration samples, their file is missing")
                .hasMessageContaining("calibration.jsonl: does not exist")
                .hasMessageNotContaining("calibration.share");
        run().write(new SplitRecord(entries.subList(400, 401)), List.of());
        assertRefused(ExitCode.BAD_CONFIG, () -> run().choose(rule)).hasMessageContaining("calibration.share=0.2");

        run().write(new SplitRecord(entries), List.of());
        run().write(made(Split.CALIBRATION, 400, 0.3, 0.6));
        new SplitRecord(entries).requireUnseenCalibration();
        TriggerThreshold chosen = run().choose(rule);
        assertThat(chosen.threshold()).isEqualTo(0.6);
        run().write(chosen);
        assertThat(run().threshold()).as("with its bound").isEqualTo(chosen);
        assertThat(directory.resolve("threshold.json"))
                .content()
                .contains("\"guarantee\"", "\"calibration_sha256\"", "\"risk\" : \"ftr\"");

        entries.add(new SplitRecord.Entry("u", "content 7", Split.DEV));
        run().write(new SplitRecord(entries), List.of());
        assertRefused(ExitCode.BAD_DATA, () -> run().choose(rule))
                .hasMessageContaining("1 of 400 calibration samples were seen")
                .hasMessageContaining("[s7]");
        assertThatThrownBy(() -> new SplitRecord(entries).requireUnseenCalibration())
                .as("known before anything is trained")
                .hasMessageContaining("1 of 400 calibration samples were seen");
        run().write(new SplitRecord(entries.subList(0, 399)), List.of());
        assertThatThrownBy(() -> run().choose(rule)).hasMessageContaining("[s399]");
    }

    @Test
    void aDamagedSplitRecordNamesItsLine() throws IOException {
        assertRefused(ExitCode.UNAVAILABLE, () -> run().split())
                .hasMessageContaining("split.jsonl: does not exist, so the training samples are unknown");
        write("split.jsonl", "{\"id\":\"a\",\"content\":\"c\",\"split\":\"dev\"}\n{\"id\":\"b\",\"split\":\"dev\"}\n");
        assertRefused(ExitCode.BAD_DATA, () -> run().split())
                .hasMessageContaining("split.jsonl:2: is no split entry")
                .hasMessageContaining("content");
    }

    @Test
    void invalidPoolSizesAreBadDataWithTheScenario() throws IOException {
        PoolSizes sizes = new PoolSizes(Map.of("A", 3));
        run().write(sizes);
        assertThat(directory.resolve("pool.json")).content().isEqualTo("{\"A\":3}\n");
        assertThat(run().poolSizes()).isEqualTo(sizes);
        Map<String, String> messages = Map.of(
                "{}", "scenarios = 0 must be at least 1",
                "null", "null",
                "{\"A\":null}", "A = null must be a number of functions",
                "{\"A\":-1}", "A = -1 must be a number of functions",
                "[]", "START_ARRAY");
        for (Map.Entry<String, String> one : messages.entrySet()) {
            write("pool.json", one.getKey());
            assertRefused(ExitCode.BAD_DATA, () -> run().poolSizes())
                    .hasMessageContaining("pool.json: is no sizes of a function pool")
                    .hasMessageContaining(one.getValue());
        }
    }

    @Test
    void aPlanOfSeedsIsReadAsItWasWritten() throws IOException {
        SeedPlan plan =
                new SeedPlan(List.of(new SeedPlan.Run(SeedPlan.Variant.WITHOUT_FAST, 7, "without-fast/seed_7")));
        MppRun.Seeds seeds = new MppRun.Seeds(directory);
        assertThat(MppRun.of(directory)).isInstanceOf(MppRun.Single.class);
        seeds.write(plan);
        assertThat(MppRun.of(directory)).isInstanceOf(MppRun.Seeds.class);
        assertThat(seeds.plan()).isEqualTo(plan);
        assertThat(directory.resolve("seeds.json")).content().contains("\"variant\" : \"WITHOUT_FAST\"");
        write("seeds.json", "[{\"variant\":null,\"seed\":7,\"path\":\"a\"}]");
        assertRefused(ExitCode.BAD_DATA, seeds::plan).hasMessageContaining("seeds.json: is no plan of seeds");
    }

    @Test
    void aMissingOrForeignCalibrationIsBadData() throws IOException {
        Files.createDirectories(directory.resolve("best/step_1"));
        write("config.resolved.yaml", "calibration:\n  method: temperature\n");
        write("best/step_1/mpp.json", "{}");
        assertRefused(ExitCode.BAD_DATA, () -> new MppRun.Single(directory.resolve("best/step_1")).model())
                .hasMessageContaining("calibration.json: is missing");
        write("calibration.json", "null");
        assertRefused(ExitCode.BAD_DATA, () -> new MppRun.Single(directory.resolve("best/step_1")).model())
                .hasMessageContaining("calibration.json: is not a calibration: must be a JSON object");
    }
}
