package dev.prpf.cli.recipe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.eval.report.PipelineReport.GateMetrics;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Metrics;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ResultNotesTest {
    private static Metrics metrics(double success, double named, double right) {
        return new Metrics(
                20, 10, 10, 0, 0, Map.of(Metric.SR, success, Metric.NAMES_ACT, named, Metric.SR_ACT, right), Map.of());
    }

    private static FunctionPool pool(String... names) {
        return new FunctionPool(Stream.of(names)
                .map(name -> new FunctionSpec(name, "d", List.of(), List.of()))
                .toList());
    }

    private static Sample calling(String function) {
        List<FunctionCall> calls = List.of(new FunctionCall(function, Map.of()));
        return new Sample(
                "s",
                1,
                null,
                null,
                new DeviceContext("", "", ""),
                Trajectory.ofTexts(List.of("x")),
                List.of(new Recommendation("i", calls)));
    }

    @Test
    void functionsWithoutATestRecord_areNamed() {
        assertThat(ResultNotes.untested(pool("a", "b"), List.of(calling("a"), calling("b"))))
                .isEmpty();
        assertThat(ResultNotes.untested(pool("a", "b"), List.of(calling("a"))))
                .containsExactly("no test record calls 1 of 2 functions: b; the metrics say nothing about them, so add"
                        + " records that call them");
        assertThat(ResultNotes.untested(pool("a", "b", "c", "d", "e", "f", "g", "h"), List.of(calling("c"))))
                .singleElement()
                .asString()
                .contains("calls 7 of 8 functions: a, b, d, e, f and 2 more; the");
    }

    @Test
    void aCascadeThatNoBaselineEquals_hasNoNote() {
        Map<String, Metrics> systems = Map.of(
                "cascade", metrics(70, 60, 41), "always_silent", metrics(50, 0, 0), "tfidf_lr", metrics(69, 9, 9));
        assertThat(ResultNotes.ofMetrics(systems, true)).isEmpty();
        assertThat(ResultNotes.ofMetrics(Map.of("cascade", metrics(70, 60, 41)), true))
                .as("without baselines")
                .isEmpty();
    }

    @Test
    void baselinesThatAreAsGood_areNamed() {
        Map<String, Metrics> systems = Map.of(
                "cascade", metrics(50, 0, 0), "always_silent", metrics(50, 0, 0), "tfidf_lr", metrics(62.5, 9, 9));
        assertThat(ResultNotes.ofMetrics(systems, true))
                .containsExactly("the cascade's SR of 50.0 % is not better than that of always_silent (50.0 %) and"
                        + " tfidf_lr (62.5 %); give more records before you use it");
    }

    @Test
    void wrongValuesInCallsWithTheRightName_areNamed() {
        Map<String, Metrics> systems = Map.of("cascade", metrics(70, 80, 30));
        String fault =
                "80.0 % of the acting records get a call with the right name, but only 30.0 % the right values too:"
                        + " mostly values or further calls are wrong, not the function; give more records, or train a ";
        assertThat(ResultNotes.ofMetrics(systems, true)).containsExactly(fault + "pretrained reasoner (preset: small)");
        assertThat(ResultNotes.ofMetrics(systems, false)).containsExactly(fault + "larger reasoner.base");
    }

    @Test
    void aGateThatPassesNoActingRecordIsSilent() {
        assertThat(RecipeResults.isSilent(Map.of("perceiver", new GateMetrics(0, 50))))
                .isTrue();
        assertThat(RecipeResults.isSilent(
                        Map.of("perceiver", new GateMetrics(20, 50), "tfidf_lr", new GateMetrics(0, 90))))
                .isFalse();
        assertThat(RecipeResults.isSilent(Map.of())).as("one class only").isFalse();
    }
}
