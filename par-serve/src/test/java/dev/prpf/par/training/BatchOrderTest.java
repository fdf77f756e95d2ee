package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.sets.SftExample;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BatchOrderTest {
    private final List<SftExample> examples = SftLossTest.examples(203, 9);

    @Test
    void everyExampleComesOnceAnEpoch() {
        BatchOrder order = new BatchOrder(203, 8, 3, 1, 32);
        List<List<List<SftExample>>> steps = order.epoch(0, examples);

        List<SftExample> seen =
                steps.stream().flatMap(List::stream).flatMap(List::stream).toList();
        Set<SftExample> distinct = new HashSet<>(seen);
        assertThat(seen).hasSize(203);
        assertThat(distinct).containsExactlyInAnyOrderElementsOf(examples);
        assertThat(steps).hasSize(order.steps());
    }

    @Test
    void theOrderIsAFunctionOfSeedAndEpoch() {
        BatchOrder order = new BatchOrder(203, 8, 1, 1, 32);

        assertThat(order.epoch(2, examples)).isEqualTo(new BatchOrder(203, 8, 1, 1, 32).epoch(2, examples));
        assertThat(order.epoch(2, examples)).isNotEqualTo(order.epoch(1, examples));
        assertThat(order.epoch(2, examples)).isNotEqualTo(new BatchOrder(203, 8, 1, 2, 32).epoch(2, examples));
    }

    @Test
    void batchesHoldLittlePadding() {
        long padded = 0;
        long real = 0;
        for (List<List<SftExample>> step : new BatchOrder(203, 8, 1, 1, 32).epoch(0, examples)) {
            for (List<SftExample> batch : step) {
                int longest = batch.stream().mapToInt(SftExample::length).max().orElseThrow();
                padded += (long) longest * batch.size();
                real += batch.stream().mapToInt(SftExample::length).sum();
            }
        }
        assertThat((double) real / padded).isGreaterThan(0.9);
    }
}
