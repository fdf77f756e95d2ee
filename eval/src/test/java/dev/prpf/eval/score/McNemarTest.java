package dev.prpf.eval.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.eval.score.Comparison.Holm;
import dev.prpf.eval.score.Comparison.McNemar;
import java.util.List;
import org.junit.jupiter.api.Test;

class McNemarTest {
    @Test
    void theExactTestIsTheBinomials() {
        // two tails of 10 coins: 2 P(at most 2) = 2 (1 + 10 + 45) / 1024
        assertThat(McNemar.of(2, 8).p()).isCloseTo(112.0 / 1024, within(1e-9));
        assertThat(McNemar.of(8, 2).p()).isCloseTo(112.0 / 1024, within(1e-9));
        assertThat(McNemar.of(0, 6).p()).isCloseTo(2.0 / 64, within(1e-9));
    }

    @Test
    void withoutDisagreementOrWithEqualShareThereIsNothingToFind() {
        assertThat(McNemar.of(0, 0).p()).isEqualTo(1);
        assertThat(McNemar.of(7, 7).p()).isCloseTo(1, within(1e-9));
        assertThatThrownBy(() -> McNemar.of(-1, 2)).hasMessageContaining("first = -1 must be 0 or more");
    }

    @Test
    void holmStepsDownAndKeepsTheOrder() {
        // sorted .01 .02 .03 .04: times 4, 3, 2, 1 = .04 .06 .06 .04, then never smaller than the one before
        List<Double> adjusted = Holm.adjusted(List.of(0.03, 0.01, 0.04, 0.02));
        assertThat(adjusted.get(1)).isCloseTo(0.04, within(1e-12));
        assertThat(adjusted.get(3)).isCloseTo(0.06, within(1e-12));
        assertThat(adjusted.get(0)).isCloseTo(0.06, within(1e-12));
        assertThat(adjusted.get(2)).isCloseTo(0.06, within(1e-12));
    }

    @Test
    void holmOfOneIsItselfOfNoneIsNoneAndNoneExceedsOne() {
        assertThat(Holm.adjusted(List.of(0.3))).containsExactly(0.3);
        assertThat(Holm.adjusted(List.of())).isEmpty();
        assertThat(Holm.adjusted(List.of(0.6, 0.9))).containsExactly(1.0, 1.0);
        assertThatThrownBy(() -> Holm.adjusted(List.of(1.5))).hasMessageContaining("p = 1.5 must be in [0, 1]");
    }
}
