package dev.prpf.eval.score;

import static dev.prpf.eval.score.Cases.abstained;
import static dev.prpf.eval.score.Cases.call;
import static dev.prpf.eval.score.Cases.calls;
import static dev.prpf.eval.score.Cases.gated;
import static dev.prpf.eval.score.Cases.malformed;
import static dev.prpf.eval.score.Cases.reasoned;
import static dev.prpf.eval.score.Cases.screens;
import static dev.prpf.eval.score.Cases.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.Sample;
import dev.prpf.eval.score.ErrorAnalysis.ErrorCategory;
import dev.prpf.eval.score.ErrorAnalysis.MismatchPattern;
import dev.prpf.eval.score.ErrorAnalysis.Outcome;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ErrorAnalysisTest {
    private static final List<Sample> GOLD = List.of(
            text("right", calls("a")),
            text("mismatch", calls("a")),
            text("spurious"),
            text("abstention", calls("a")),
            text("misfire", calls("a")),
            text("parse", calls("a")),
            text("mixed", calls("a"), calls()),
            screens("argument", 2, call("a", "{\"x\":1}")));

    private static final ErrorAnalysis ANALYSIS = ErrorAnalysis.of(Cases.score(
                    GOLD,
                    reasoned("right", calls("a")),
                    reasoned("mismatch", calls("b")),
                    reasoned("spurious", calls("b")),
                    abstained("abstention"),
                    gated("misfire"),
                    malformed("parse"),
                    gated("mixed"),
                    reasoned("argument", call("a", "{\"x\":2}")))
            .samples());

    @Test
    void everyTypeAccErrorHasOneCategory() {
        assertThat(ANALYSIS.categories())
                .isEqualTo(Map.of(
                        ErrorCategory.NON_EMPTY_MISMATCH, 2,
                        ErrorCategory.POST_GATE_ABSTENTION, 1,
                        ErrorCategory.GATE_MISFIRE, 1,
                        ErrorCategory.PARSE_FAILURE, 1));
        assertThat(ANALYSIS.errors()).isEqualTo(5);
    }

    @Test
    void theMismatchesAddUpByPattern() {
        assertThat(ANALYSIS.patterns())
                .containsEntry(MismatchPattern.OFF_SCENE, 1)
                .containsEntry(MismatchPattern.SPURIOUS, 1);
        assertThat(ANALYSIS.patterns().values().stream().mapToInt(i -> i).sum()).isEqualTo(2);
    }

    @Test
    void everySampleHasOneOutcome() {
        assertThat(ANALYSIS.outcomes().get("text"))
                .isEqualTo(Map.of(
                        Outcome.SUCCESS, 2,
                        Outcome.REFUSAL, 2,
                        Outcome.FUNCTION_ERROR, 1,
                        Outcome.ARGUMENT_ERROR, 0,
                        Outcome.FALSE_TRIGGER, 1,
                        Outcome.MALFORMED, 1,
                        Outcome.UNJUDGED, 0));
        assertThat(ANALYSIS.outcomes().get("multimodal")).containsEntry(Outcome.ARGUMENT_ERROR, 1);
    }

    @Test
    void typeAccByGateDecision() {
        assertThat(ANALYSIS.gatePaths().get("text"))
                .containsExactly(
                        Map.entry("gated", new ErrorAnalysis.GatePath(2, 50.0)),
                        Map.entry("reasoned", new ErrorAnalysis.GatePath(5, 20.0)));
        assertThat(ANALYSIS.gatePaths().get("multimodal"))
                .containsExactly(
                        Map.entry("gated", new ErrorAnalysis.GatePath(0, null)),
                        Map.entry("reasoned", new ErrorAnalysis.GatePath(1, 100.0)));
    }

    @Test
    void theSixPatterns() {
        assertThat(MismatchPattern.of(List.of("a"), List.of("b"))).isEqualTo(MismatchPattern.OFF_SCENE);
        assertThat(MismatchPattern.of(List.of("a"), List.of())).isEqualTo(MismatchPattern.SPURIOUS);
        assertThat(MismatchPattern.of(List.of("a"), List.of("a", "b"))).isEqualTo(MismatchPattern.MISSED_STEPS);
        assertThat(MismatchPattern.of(List.of("a", "b"), List.of("a"))).isEqualTo(MismatchPattern.EXTRA_STEPS);
        assertThat(MismatchPattern.of(List.of("b", "a"), List.of("a", "b"))).isEqualTo(MismatchPattern.REORDERING);
        assertThat(MismatchPattern.of(List.of("a", "a"), List.of("a"))).isEqualTo(MismatchPattern.REORDERING);
        assertThat(MismatchPattern.of(List.of("a", "b"), List.of("b", "c"))).isEqualTo(MismatchPattern.PARTIAL_OVERLAP);
    }
}
