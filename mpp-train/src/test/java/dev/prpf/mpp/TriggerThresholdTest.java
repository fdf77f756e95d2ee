package dev.prpf.mpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.mpp.TriggerThreshold.Constraint;
import dev.prpf.mpp.calibration.FittedCalibration;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.guarantee.Guarantee;
import dev.prpf.mpp.guarantee.LearnThenTest;
import dev.prpf.mpp.guarantee.Risk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TriggerThresholdTest {
    private static final boolean[] ACTS = {true, true, true, true, false, false, false, false};
    private static final double[] P = {0.9, 0.8, 0.7, 0.3, 0.75, 0.4, 0.2, 0.1};

    @Test
    void theMostSpecificThresholdThatKeepsTheRecall() {
        TriggerThreshold chosen = TriggerThreshold.choose(P, ACTS, new Constraint.MinRecall(75));
        assertThat(chosen.recall()).isEqualTo(75);
        assertThat(chosen.specificity()).isEqualTo(75);
        assertThat(chosen.threshold()).as("the smallest of 0.41 to 0.70").isEqualTo(0.41);
        assertThat(chosen.curve()).hasSize(91);
        assertThat(chosen.constraint()).isEqualTo("recall >= 75");
    }

    @Test
    void theBoundaryItselfTriggers() {
        TriggerThreshold chosen = TriggerThreshold.choose(P, ACTS, new Constraint.Fixed(0.75));
        assertThat(chosen.recall()).isEqualTo(50);
        assertThat(chosen.specificity()).isEqualTo(75);
        assertThat(chosen.triggers(new Perception(0.75, Map.of()))).isTrue();
        assertThat(chosen.triggers(new Perception(0.7499, Map.of()))).isFalse();
    }

    @Test
    void theMostRecallWithFewFalseTriggers() {
        TriggerThreshold chosen = TriggerThreshold.choose(P, ACTS, new Constraint.MaxFalseTriggers(25));
        assertThat(chosen.threshold()).isEqualTo(0.41);
        assertThat(TriggerThreshold.choose(P, ACTS, new Constraint.MaxFalseTriggers(0))
                        .threshold())
                .isEqualTo(0.76);
    }

    @Test
    void aFalseTriggerRateOfJustTheLimitKeepsIt() {
        double[] pTrigger = new double[126];
        boolean[] acts = new boolean[126];
        acts[0] = true;
        pTrigger[0] = 0.9;
        Arrays.fill(
                pTrigger, 1, 4, 0.95); // 3 of 125 silent ones are 2.4 percent, 100 - 97.6 in doubles is a little more
        TriggerThreshold chosen = TriggerThreshold.choose(pTrigger, acts, new Constraint.MaxFalseTriggers(2.4));
        assertThat(chosen.recall()).isEqualTo(100);
        assertThat(chosen.specificity()).isEqualTo(97.6);
    }

    @Test
    void nothingThatSatisfiesIsAFailedGate() {
        double[] low = {0.01, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1};
        assertThatThrownBy(() -> TriggerThreshold.choose(low, ACTS, new Constraint.MinRecall(90)))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.GATE_FAILED))
                .hasMessageContaining("recall >= 90")
                .hasMessageContaining("recall 75.00");
    }

    @Test
    void oneClassAloneIsBadData() {
        assertThatThrownBy(() ->
                        TriggerThreshold.choose(new double[] {0.5}, new boolean[] {true}, new Constraint.MinRecall(90)))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA));
    }

    @Test
    void whatIsSavedIsRead(@TempDir Path run) {
        TriggerThreshold chosen = TriggerThreshold.choose(P, ACTS, new Constraint.MinRecall(75));
        chosen.save(run);
        assertThat(TriggerThreshold.load(run)).isEqualTo(chosen);
        assertThatThrownBy(() -> TriggerThreshold.load(run.resolve("other"))).hasMessageContaining("mpp sweep");
    }

    @Test
    void aFileThatIsNotWholeIsBadDataAndTheKeyIsNamed(@TempDir Path run) throws IOException {
        for (String start : List.of("{", "{\"threshold\":null,")) {
            Files.writeString(
                    run.resolve(TriggerThreshold.FILE),
                    start + "\"recall\":90,\"specificity\":50,\"constraint\":\"recall >= 90\",\"curve\":[]}");
            assertThatThrownBy(() -> TriggerThreshold.load(run))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContaining(TriggerThreshold.FILE + ": ")
                    .hasMessageMatching(".*[\"']threshold[\"'].*");
        }
    }

    @Test
    void aThresholdOutOfRangeOrNoneIsBadDataThatSaysWhy(@TempDir Path run) throws IOException {
        String rest = ",\"recall\":90,\"specificity\":50,\"constraint\":\"recall >= 90\",\"curve\":[]}";
        Map<String, String> messages = Map.of(
                "null",
                "must be a JSON object",
                "{\"threshold\":7" + rest,
                "threshold = 7.0, must lie in [0, 1]",
                "{\"threshold\":\"NaN\"" + rest,
                "threshold = NaN, must lie in [0, 1]",
                "{\"threshold\":0.5" + rest.replace("90,", "101,"),
                "recall = 101.0, must lie in [0, 100]",
                "{\"threshold\":0.5" + rest.replace("[]", "[{\"tau\":2,\"recall\":1,\"specificity\":1}]"),
                "tau = 2.0, must lie in [0, 1]");
        for (Map.Entry<String, String> one : messages.entrySet()) {
            Files.writeString(run.resolve(TriggerThreshold.FILE), one.getKey());
            assertThatThrownBy(() -> TriggerThreshold.load(run))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContaining(TriggerThreshold.FILE + ": is no threshold")
                    .hasMessageContaining(one.getValue());
        }
    }

    @Test
    void aThresholdOfOtherWeightsThanTheRunsCalibrationIsBadData(@TempDir Path run) {
        made(Split.DEV, 40, 0.1, 0.6).save(run);
        new FittedCalibration(new ProbabilityCalibration.None(), "a1".repeat(32)).save(run);
        TriggerThreshold chosen = new ThresholdRule.OnDev(new Constraint.Fixed(0.5)).apply(run);
        assertThat(chosen.modelSha256()).isEqualTo("a1".repeat(32));
        assertThat(TriggerThreshold.load(run)).isEqualTo(chosen);

        new FittedCalibration(new ProbabilityCalibration.None(), "b2".repeat(32)).save(run);
        assertThatThrownBy(() -> TriggerThreshold.load(run))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("threshold.json: was chosen with weights a1a1")
                .hasMessageContaining("mpp sweep --run " + run);
    }

    private static LabelledPerceptions made(Split split, int n, double silentP, double actingP) {
        List<LabelledPerception> samples = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            boolean acts = i % 2 == 0;
            samples.add(new LabelledPerception(
                    "s" + i,
                    0,
                    new Perception(acts ? actingP : silentP, Map.of("A", 0.5)),
                    List.of(acts ? Set.of("A") : Set.of())));
        }
        return new LabelledPerceptions(split, samples);
    }

    @Test
    void theGuaranteedThresholdIsTheBestOnDevOfThoseThatAreBoundedAndItIsKept(@TempDir Path run) {
        LabelledPerceptions dev = made(Split.DEV, 40, 0.1, 0.6);
        LabelledPerceptions kept = made(Split.CALIBRATION, 400, 0.3, 0.6);
        TriggerThreshold chosen = TriggerThreshold.guaranteed(new LearnThenTest(Risk.FTR, 5, 90), dev, kept, "abc");
        assertThat(chosen.threshold())
                .as("above every silent calibration sample")
                .isEqualTo(0.31);
        assertThat(chosen.recall()).isEqualTo(100);
        assertThat(chosen.curve()).hasSize(91);
        Guarantee guarantee = Objects.requireNonNull(chosen.guarantee());
        assertThat(guarantee.samples()).isEqualTo(200);
        assertThat(guarantee.errors()).isZero();
        assertThat(guarantee.grid()).isEqualTo(91);
        assertThat(guarantee.upper()).isCloseTo(100 * (1 - Math.pow(0.1 / 91, 1 / 200.0)), within(1e-6));
        assertThat(chosen.sentence()).contains("tau 0.31", "ftr <= 5 % with confidence 90 %", "200 silent");
        chosen.save(run);
        assertThat(TriggerThreshold.load(run)).isEqualTo(chosen);

        TriggerThreshold misses = TriggerThreshold.guaranteed(new LearnThenTest(Risk.MISS, 5, 90), dev, kept, "abc");
        assertThat(misses.specificity()).isEqualTo(100);
        assertThat(misses.threshold()).isBetween(0.11, 0.60);
    }

    @Test
    void aGuaranteeIsRefusedOnSamplesThatSomethingSaw(@TempDir Path run) {
        made(Split.DEV, 40, 0.1, 0.6).save(run);
        ThresholdRule rule = new ThresholdRule.Guaranteed(new LearnThenTest(Risk.FTR, 5, 90));
        List<SplitRecord.Entry> entries = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            entries.add(new SplitRecord.Entry("s" + i, "content " + i, Split.CALIBRATION));
        }
        entries.add(new SplitRecord.Entry("t", "another", Split.TRAIN));
        new SplitRecord(entries).save(run);
        assertThatThrownBy(() -> rule.apply(run))
                .as("the run kept some, their file is gone")
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("calibration.jsonl: does not exist")
                .hasMessageNotContaining("calibration.share");
        new SplitRecord(entries.subList(400, 401)).save(run);
        assertThatThrownBy(() -> rule.apply(run))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_CONFIG))
                .hasMessageContaining("calibration.share=0.2");
        new SplitRecord(entries).save(run);

        made(Split.CALIBRATION, 400, 0.3, 0.6).save(run);
        new SplitRecord(entries).requireUnseenCalibration();
        assertThat(rule.apply(run).threshold()).isEqualTo(0.31);

        entries.add(new SplitRecord.Entry("u", "content 7", Split.DEV));
        new SplitRecord(entries).save(run);
        assertThatThrownBy(() -> rule.apply(run))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("1 of 400 calibration samples are not unseen")
                .hasMessageContaining("[s7]");
        assertThatThrownBy(() -> new SplitRecord(entries).requireUnseenCalibration())
                .as("known before anything is trained")
                .hasMessageContaining("1 of 400 calibration samples are not unseen");
        new SplitRecord(entries.subList(0, 399)).save(run);
        assertThatThrownBy(() -> rule.apply(run)).hasMessageContaining("[s399]");
    }
}
