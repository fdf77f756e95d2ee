package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.junit.jupiter.api.Test;

class SuiteResultTest {
    private static final List<DecisionPoint> POINTS = LeaveOneTraceOutTest.points(4, 5);
    private static final TraceBootstrap BOOTSTRAP = new TraceBootstrap(200, 1);
    private static final SuiteRow OURS =
            SuiteRow.of("gate", SuiteRow.Kind.OURS, true, Baselines.searchRule(POINTS), BOOTSTRAP);
    private static final SuiteRow NEVER =
            SuiteRow.of("never", SuiteRow.Kind.BASELINE, false, Baselines.always(false, POINTS), BOOTSTRAP);

    @Test
    void theObjectKeepsItsContract() {
        JsonNode json =
                new ObjectMapper().valueToTree(result(List.of(OURS, NEVER)).json());

        assertThat(json.path("suite").asText()).isEqualTo("toy");
        assertThat(json.path("n").asInt()).isEqualTo(20);
        JsonNode ours = json.path("rows").path(0);
        assertThat(ours.path("kind").asText()).isEqualTo("ours");
        assertThat(ours.path("primary").asBoolean()).isTrue();
        assertThat(ours.path("f1_ci").isArray()).isTrue();
        assertThat(ours.path("f1_ci").path(0).asDouble())
                .isLessThanOrEqualTo(ours.path("f1").asDouble());
        assertThat(ours.path("auc").isNull()).isTrue();
        JsonNode never = json.path("rows").path(1);
        assertThat(never.path("precision").isNull()).isTrue();
        assertThat(never.path("f1").isNull()).isTrue();
        assertThat(never.path("f1_ci").isNull()).isTrue();
        assertThat(never.path("ftr").asDouble()).isZero();
        assertThat(never.path("auc").asDouble()).isEqualTo(0.5);
    }

    @Test
    void exactlyOneRowIsPrimary() {
        assertThatThrownBy(() -> result(List.of(NEVER))).hasMessageContaining("0 primary rows");
        assertThatThrownBy(() -> result(List.of(OURS, OURS))).hasMessageContaining("2 primary rows");
        assertThat(result(List.of(OURS, NEVER)).primaryRow()).isEqualTo(OURS);
    }

    @Test
    void theTextMarksThePrimaryRowAndLeavesMissingFiguresOut() {
        List<String> lines = SuiteText.lines(result(List.of(OURS, NEVER)));

        assertThat(lines.get(0)).isEqualTo("toy: points (n = 20)");
        assertThat(lines.get(2)).startsWith("* gate").contains("ours").contains("[");
        assertThat(lines.get(3)).startsWith("  never").contains(" - ");
    }

    private static SuiteResult result(List<SuiteRow> rows) {
        return new SuiteResult("toy", new SuiteResult.Table("points", 20, rows), List.of());
    }
}
