package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8})
    void everySampleIsInOneShardAndTheyAreOfLikeSize(int count) {
        int[] sizes = new int[count];
        for (int i = 0; i < 4_000; i++) {
            String id = "sample-" + i;
            int[] holders = IntStream.rangeClosed(1, count)
                    .filter(index -> new Shard(index, count).has(id))
                    .toArray();
            assertThat(holders).hasSize(1);
            sizes[holders[0] - 1]++;
        }
        assertThat(IntStream.of(sizes)).allMatch(size -> Math.abs(size - 4_000.0 / count) < 4_000.0 / count * 0.2);
    }

    /** Shards that machines ran before must stay what they are. */
    @Test
    void whichShardAnIdIsInNeverChanges() {
        assertThat(IntStream.range(0, 12).filter(i -> new Shard(2, 3).has("s" + i)))
                .containsExactly(3, 6, 8, 9);
    }

    @Test
    void theWholeIsOneOfOne() {
        assertThat(Shard.parse(null)).isEqualTo(Shard.WHOLE);
        assertThat(Shard.parse("1/1")).isEqualTo(Shard.WHOLE);
        assertThat(Shard.WHOLE.has("any")).isTrue();
        assertThat(Shard.parse("2/8")).hasToString("2/8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0/4", "5/4", "1", "1/0", "a/b", "1/2/3", "-1/2", "", "1/9999999"})
    void whatIsNoShardIsRefused(String text) {
        assertThatThrownBy(() -> Shard.parse(text))
                .hasMessage("--shard = " + text + ", must be I/N with I from 1 to N, as 2/8")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(2);
    }
}
