package dev.prpf.data.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DatasetStatisticsTest {
    private static final ScenarioCatalog CATALOG = ScenarioCatalogReader.shipped();

    private static Sample sample(int difficulty, @Nullable String split, String scenario, int calls) {
        List<FunctionCall> sequence = Collections.nCopies(calls, new FunctionCall("f", Map.of()));
        return new Sample(
                "s",
                difficulty,
                split,
                scenario,
                new DeviceContext("p", "d", "w"),
                Trajectory.ofTexts(List.of("step")),
                List.of(new Recommendation("i", sequence)));
    }

    @Test
    void theCountsOfPartsAddUpToThoseOfTheWhole() {
        List<Sample> samples = List.of(
                sample(1, "test", "Transportation", 1),
                sample(3, null, "Zoo", 0),
                sample(2, "train", "Alps", 2),
                sample(2, "test", "Transportation", 4),
                sample(3, "test", "none", 2));
        DatasetStatistics whole = DatasetStatistics.of(samples.iterator(), CATALOG);
        for (int cut = 0; cut <= samples.size(); cut++) {
            DatasetStatistics first =
                    DatasetStatistics.of(samples.subList(0, cut).iterator(), CATALOG);
            DatasetStatistics second =
                    DatasetStatistics.of(samples.subList(cut, samples.size()).iterator(), CATALOG);
            DatasetStatistics sum = first.plus(second);
            assertThat(sum).isEqualTo(whole);
            assertThat(sum.byScenario().keySet())
                    .as("in the catalogue's order, then as they came")
                    .containsExactlyElementsOf(whole.byScenario().keySet())
                    .endsWith("none", "Zoo", "Alps");
        }
        assertThat(whole.total().items()).isEqualTo(5);
        assertThat(whole.byDifficulty()).isEqualTo(Map.of(1, 1L, 2, 2L, 3, 2L));
    }
}
