package dev.prpf.data.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class IdIndexTest {
    @Test
    void remembersTheFirstRecordOfEachIdThroughGrowth() {
        IdIndex ids = new IdIndex();
        for (int i = 0; i < 50_000; i++) {
            assertThat(ids.putIfAbsent("id-" + i, i)).isEqualTo(-1);
        }
        for (int i = 0; i < 50_000; i += 7) {
            assertThat(ids.putIfAbsent("id-" + i, 99_999)).isEqualTo(i);
        }
    }

    @Test
    void idsThatDifferInHalfASurrogatePairDiffer() {
        IdIndex ids = new IdIndex();
        assertThat(ids.putIfAbsent("\ud83d", 0)).isEqualTo(-1);
        assertThat(ids.putIfAbsent("\ud83e", 1)).isEqualTo(-1);
        assertThat(ids.putIfAbsent("", 2)).isEqualTo(-1);
        assertThat(ids.putIfAbsent("\ud83d", 3)).isZero();
    }
}
