package dev.prpf.par.sets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.sets.CallSelection.HeldOut;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HeldOutTest {
    private static final int RECORDS = 200;

    private static BitSet drawn(List<int[]> pairs, long seed) {
        HeldOut groups = new HeldOut();
        for (int record = 0; record < RECORDS; record++) {
            int one = record;
            groups.add(pairs.stream()
                    .filter(pair -> pair[0] == one || pair[1] == one)
                    .map(pair -> Math.min(pair[0], pair[1]) + " " + Math.max(pair[0], pair[1]))
                    .toList());
        }
        return groups.draw(0.3, seed);
    }

    private static List<int[]> pairs() {
        List<int[]> pairs = new ArrayList<>();
        Random random = new Random(7);
        for (int i = 0; i < 80; i++) {
            pairs.add(new int[] {random.nextInt(RECORDS), random.nextInt(RECORDS)});
        }
        return pairs;
    }

    @Test
    void recordsWithSharedMarksStayTogetherInAnyOrderOfMarks() {
        List<int[]> pairs = pairs();
        BitSet held = drawn(pairs, 1);
        assertThat(held.cardinality()).isBetween(60, 120);
        assertThat(pairs).allMatch(pair -> held.get(pair[0]) == held.get(pair[1]));
        List<int[]> otherwise = new ArrayList<>();
        pairs.forEach(pair -> otherwise.add(new int[] {pair[1], pair[0]}));
        Collections.shuffle(otherwise, new Random(3));
        assertThat(drawn(otherwise, 1)).isEqualTo(held);
        assertThat(drawn(pairs, 2)).isNotEqualTo(held);
    }

    @Test
    void singleGroupIsHeldOutCompletely() {
        List<int[]> chain = new ArrayList<>();
        for (int i = 1; i < RECORDS; i++) {
            chain.add(new int[] {i, i - 1});
        }
        assertThat(drawn(chain, 1).cardinality()).isEqualTo(RECORDS);
        assertThat(drawn(List.of(), 1).cardinality()).isEqualTo(60);
    }
}
