package dev.prpf.mpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.data.run.ExitCode;
import dev.prpf.data.run.PrpfException;
import dev.prpf.mpp.TriggerThreshold.Constraint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
    void nothingThatSatisfiesIsAFailedGate() {
        double[] low = {0.01, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1};
        assertThatThrownBy(() -> TriggerThreshold.choose(low, ACTS, new Constraint.MinRecall(90)))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.GATE_FAILED))
                .hasMessageContaining("recall >= 90")
                .hasMessageContaining("recall 75.00");
    }

    @Test
    void oneClassAloneIsBadData() {
        assertThatThrownBy(() ->
                        TriggerThreshold.choose(new double[] {0.5}, new boolean[] {true}, new Constraint.MinRecall(90)))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.BAD_DATA));
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
                            PrpfException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContaining(TriggerThreshold.FILE + ": ")
                    .hasMessageMatching(".*[\"']threshold[\"'].*");
        }
    }
}
