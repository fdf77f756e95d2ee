package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.sets.SftExample;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PackingTest {
    private static SftExample of(int length) {
        return new SftExample(new long[length - 1], new long[] {1});
    }

    @Test
    void theLongestComeFirstAndTheOthersFillTheRows() {
        SftBatch.Packing packing = SftBatch.Packing.of(List.of(of(4), of(11), of(6), of(7)), 10);

        assertThat(packing.rows()).isEqualTo(3);
        assertThat(packing.places())
                .containsExactly(
                        new SftBatch.Packing.Place(1, 6, 2),
                        new SftBatch.Packing.Place(0, 0, 1),
                        new SftBatch.Packing.Place(2, 0, 1),
                        new SftBatch.Packing.Place(1, 0, 1));
    }

    /** Batches of like length leave no room in a row; those that packing cuts do. */
    @Test
    void theBatchesOfPackingFitIntoFewerRows() {
        List<SftExample> examples =
                IntStream.range(0, 512).mapToObj(i -> of(50 + i * 307 % 451)).toList();

        assertThat(rows(new BatchOrder(512, 16, 1, 3, 1), examples)).isLessThan(512 * 3 / 4);
        assertThat(rows(new BatchOrder(512, 16, 1, 3, 32), examples)).isGreaterThan(500);
    }

    private static int rows(BatchOrder order, List<SftExample> examples) {
        return order.epoch(0, examples).stream()
                .flatMap(List::stream)
                .mapToInt(batch -> SftBatch.Packing.of(
                                batch,
                                batch.stream()
                                        .mapToInt(SftExample::length)
                                        .max()
                                        .orElseThrow())
                        .rows())
                .sum();
    }

    @Test
    void noTwoExamplesOverlapAndNoneLeavesItsRow() {
        List<SftExample> examples =
                IntStream.range(0, 200).mapToObj(i -> of(2 + i * 37 % 61)).toList();
        SftBatch.Packing packing = SftBatch.Packing.of(examples, 62);

        Map<Integer, List<int[]>> rows = new HashMap<>();
        for (int i = 0; i < 200; i++) {
            SftBatch.Packing.Place place = packing.places().get(i);
            int end = place.offset() + examples.get(i).length() - 1;
            assertThat(end).isLessThanOrEqualTo(62);
            List<int[]> taken = rows.computeIfAbsent(place.row(), row -> new ArrayList<>());
            assertThat(taken).noneMatch(other -> place.offset() < other[1] && other[0] < end);
            taken.add(new int[] {place.offset(), end});
        }
        int tokens = examples.stream().mapToInt(example -> example.length() - 1).sum();
        assertThat(packing.rows()).isEqualTo(rows.size()).isLessThan(tokens / 62 + 10);
    }
}
