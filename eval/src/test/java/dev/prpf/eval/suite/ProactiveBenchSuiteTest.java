package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The suite's tables on the real data, with cheap stand-ins for the encoder and for our gate. */
class ProactiveBenchSuiteTest {
    @Test
    void theTablesHoldEveryRowOnItsPoints() {
        Path folder = RealData.folder();
        ProactiveBench bench = RealData.bench();
        Map<String, Scored> released =
                ReleasedDecisions.read(folder, bench.real()).byModel();
        EventVectors vectors = EventVectors.encode(bench.points(), new LetterEncoder());

        SuiteResult result = new ProactiveBenchSuite(vectors, Baselines.naiveBayes()).result(bench, released);

        List<SuiteRow> rows = result.primary().rows();
        assertThat(result.primary().n()).isEqualTo(233);
        assertThat(rows).filteredOn(SuiteRow::primary).hasSize(1).allSatisfy(row -> {
            assertThat(row.kind()).isEqualTo(SuiteRow.Kind.OURS);
            assertThat(row.counts().total()).isEqualTo(233);
        });
        assertThat(rows)
                .filteredOn(row -> row.kind() == SuiteRow.Kind.PUBLISHED)
                .hasSize(15);
        assertThat(rows)
                .filteredOn(row -> row.kind() == SuiteRow.Kind.BASELINE)
                .hasSize(8)
                .allSatisfy(row -> assertThat(row.counts().total()).isEqualTo(233));
        assertThat(rows.get(1).counts().total()).isEqualTo(227);
        assertThat(result.secondary()).singleElement().satisfies(table -> {
            assertThat(table.n()).isEqualTo(313);
            assertThat(table.rows())
                    .hasSize(9)
                    .allSatisfy(row -> assertThat(row.counts().total()).isEqualTo(313));
        });
    }

    @Test
    void theAlwaysRowsIntervalIsAsWideAsTheNotesSay() {
        List<DecisionPoint> real = RealData.bench().real();

        SuiteRow always = new SuiteRows(ProactiveBenchSuite.BOOTSTRAP, Baselines.searchRule(real))
                .baseline("always", Baselines.always(true, real));

        assertThat(always.intervals().f1()).satisfies(interval -> {
            assertThat(interval.get(0)).isBetween(38.6, 40.6); // published 39.6
            assertThat(interval.get(1)).isBetween(58.8, 60.8); // published 59.8
        });
    }
}
