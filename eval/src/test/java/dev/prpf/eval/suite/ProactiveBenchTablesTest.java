package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.eval.suite.ProactiveBench.ReleasedDecisions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the suite's tables on the real data, with cheap fakes of the encoder and our gate. */
class ProactiveBenchTablesTest {
    /** The smaller test is {@link EnsembleExperimentTest}. */
    @Test
    @Tag("nightly")
    void theTablesHoldEveryRowOnItsPoints() {
        ProactiveBench bench = RealData.bench();
        Map<String, Scored> released = ReleasedDecisions.read(RealData.proactiveBench(), bench.real());
        List<EventVectors> vectors = EventVectors.of(bench.points(), List.of(LetterEncoder.LETTERS));

        SuiteResult result = bench.result(released, BaselineGates.naiveBayes(), vectors);

        List<SuiteRow> rows = MadePoints.rows(result.primary());
        assertThat(result.primary().n()).isEqualTo(233);
        assertThat(rows).filteredOn(SuiteRow::primary).hasSize(1).allSatisfy(row -> {
            assertThat(row.kind()).isEqualTo(SuiteRow.Kind.OURS);
            assertThat(row.n()).isEqualTo(233);
        });
        assertThat(rows)
                .filteredOn(row -> row.kind() == SuiteRow.Kind.PUBLISHED)
                .hasSize(15);
        assertThat(rows)
                .filteredOn(row -> row.kind() == SuiteRow.Kind.BASELINE)
                .hasSize(9)
                .allSatisfy(row -> assertThat(row.n()).isEqualTo(233));
        assertThat(rows.get(1).n()).isEqualTo(227);
        assertThat(result.secondary()).singleElement().satisfies(table -> {
            assertThat(table.n()).isEqualTo(313);
            assertThat(MadePoints.rows(table)).hasSize(13).allSatisfy(row -> assertThat(row.n())
                    .isEqualTo(313));
        });
    }

    @Test
    void theAlwaysRowsIntervalIsAsWideAsTheNotesSay() {
        List<DecisionPoint> real = RealData.bench().real();

        SuiteRow always = new SuiteRows(Bootstrap.DEFAULT, BaselineGates.searchRule(real))
                .baseline("always", BaselineGates.always(true, real));

        Interval interval = Objects.requireNonNull(always.f1Ci());
        assertThat(interval.low()).isBetween(38.6, 40.6); // published 39.6
        assertThat(interval.high()).isBetween(58.8, 60.8); // published 59.8
    }
}
