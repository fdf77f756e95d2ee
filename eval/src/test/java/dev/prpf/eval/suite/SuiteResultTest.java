package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.ClopperPearson;
import dev.prpf.base.statistics.Interval;
import dev.prpf.mpp.ensemble.NestedFolds;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SuiteResultTest {
    private static final List<DecisionPoint> POINTS = MadePoints.traces(4, 5);
    private static final Bootstrap BOOTSTRAP = new Bootstrap(200, 1, 95);
    private static final SuiteRows ROWS = new SuiteRows(BOOTSTRAP, BaselineGates.searchRule(POINTS));
    private static final SuiteRow OURS = ROWS.primary("gate");
    private static final SuiteRow NEVER = ROWS.baseline("never", BaselineGates.always(false, POINTS));
    private static final SuiteRow ALWAYS = ROWS.baseline("always", BaselineGates.always(true, POINTS));

    @Test
    void theObjectKeepsItsContract() {
        JsonNode json = JsonRecords.tree(result(List.of(OURS, NEVER)));

        assertThat(json.path("suite").asText()).isEqualTo("toy");
        assertThat(json.path("text_encoder").asText()).isEqualTo("letters");
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
        assertThat(ours.path("ours_minus").isNull()).isTrue();
        assertThat(never.path("ours_minus").path("f1").isNull()).isTrue();
        assertThat(json.path("notes").path(0).asText()).isEqualTo("a note");
    }

    @Test
    void theLeadOverABaselineIsTheDifferenceWithAPairedInterval() {
        SuiteRow.Lead lead = Objects.requireNonNull(ALWAYS.oursMinus());

        assertThat(lead.f1()).isEqualTo(Objects.requireNonNull(OURS.f1()) - Objects.requireNonNull(ALWAYS.f1()));
        Interval interval = Objects.requireNonNull(lead.f1Ci());
        assertThat(interval.low()).isLessThanOrEqualTo(lead.f1());
        assertThat(interval.high()).isGreaterThanOrEqualTo(lead.f1());
        assertThat(lead.auc()).isNull(); // the rule has no scores
        assertThat(lead.aucCi()).isNull();
    }

    @Test
    void aGateAgainstItselfLeadsByNothingInEveryDraw() {
        Scored byLength = NestedScores.of(
                        POINTS, NestedFolds.leaveOneOut(MadePoints.groups(POINTS), 4), MadePoints.byLength(), "twin")
                .at(9);

        SuiteRow.Lead lead = Objects.requireNonNull(
                new SuiteRows(BOOTSTRAP, byLength).baseline("twin", byLength).oursMinus());

        assertThat(lead).isEqualTo(new SuiteRow.Lead(0.0, new Interval(0, 0), 0.0, new Interval(0, 0)));
    }

    @Test
    void aShareThatIsEqualInAllGroups_hasTheExactInterval() {
        assertThat(NEVER.ftr()).isZero();
        assertThat(NEVER.ftrCi()).as("four traces").isEqualTo(ClopperPearson.interval(0, 4, 95));
        assertThat(ALWAYS.recallCi()).isEqualTo(ClopperPearson.interval(4, 4, 95));
    }

    @Test
    void aRowOnOtherPointsIsNotCompared() {
        SuiteRow fewer = ROWS.baseline("fewer", BaselineGates.always(true, POINTS.subList(0, 10)));
        assertThat(fewer.oursMinus()).isNull();
    }

    @Test
    void exactlyOneRowIsPrimary() {
        assertThatThrownBy(() -> result(List.of(NEVER))).hasMessageContaining("0 primary rows");
        assertThatThrownBy(() -> result(List.of(OURS, OURS))).hasMessageContaining("2 primary rows");
        assertThat(result(List.of(OURS, NEVER)).primary().rows())
                .filteredOn(SuiteResult.Row::primary)
                .singleElement()
                .isEqualTo(OURS);
    }

    @Test
    void theTextMarksThePrimaryRowAndLeavesMissingFiguresOut() {
        List<String> lines = result(List.of(OURS, NEVER)).text().lines().toList();

        assertThat(lines.get(0)).isEqualTo("toy: points (n = 20)");
        assertThat(lines.get(2)).startsWith("* gate").contains("ours").contains("[");
        assertThat(lines.get(3)).startsWith("  never").contains(" – ");
    }

    private static SuiteResult result(List<SuiteRow> rows) {
        return new SuiteResult(
                "toy",
                "letters",
                null,
                new SuiteResult.SuiteTable("points", 20, rows),
                List.of(),
                List.of(),
                List.of("a note"));
    }
}
