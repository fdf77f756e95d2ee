package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GroupBootstrapTest {
    @Test
    void theBootstrapIsDeterministicBySeedAndDrawsWholeGroups() {
        List<List<Integer>> groups = List.of(List.of(0, 1), List.of(2, 3, 4), List.of(5));
        GroupBootstrap bootstrap = new GroupBootstrap(500, 3);

        List<Double> interval = bootstrap.interval(
                groups, rows -> 100.0 * IntStream.of(rows).filter(i -> i < 2).count() / rows.length);

        assertThat(interval)
                .isEqualTo(bootstrap.interval(
                        groups,
                        rows -> 100.0 * IntStream.of(rows).filter(i -> i < 2).count() / rows.length));
        assertThat(interval).containsExactly(0.0, 100.0);
        assertThat(bootstrap.interval(groups, rows -> rows.length >= 3 ? 7.0 : null))
                .containsExactly(7.0, 7.0);
        assertThat(bootstrap.interval(groups, rows -> null)).isNull();
        assertThatThrownBy(() -> new GroupBootstrap(1, 0)).hasMessageContaining("replicates = 1");
    }
}
