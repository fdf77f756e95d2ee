package dev.prpf.eval.score;

import static dev.prpf.eval.score.Cases.calls;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class BestMatchTest {
    @Test
    void anExactSequenceBeatsAPerfectSet() {
        BestMatch match = BestMatch.of(List.of("a", "b"), List.of(calls("b", "a"), calls("a", "b")));
        assertThat(match.answer()).containsExactly("a", "b");
        assertThat(match.exact()).isTrue();
    }

    @Test
    void elseTheHighestF1() {
        BestMatch match = BestMatch.of(List.of("a", "b"), List.of(calls("a", "c"), calls("a"), calls("a", "b", "c")));
        assertThat(match.answer()).containsExactly("a", "b", "c");
        assertThat(match.overlap().f1()).isEqualTo(0.8);
    }

    @Test
    void tiesGoToAnAnswerThatActs() {
        assertThat(BestMatch.of(List.of("x"), List.of(calls(), calls("a"))).answer())
                .containsExactly("a");
        assertThat(BestMatch.of(null, List.of(calls(), calls("a"))).answer()).containsExactly("a");
    }

    @Test
    void thenToTheFirst() {
        assertThat(BestMatch.of(List.of("x"), List.of(calls("b"), calls("a"))).answer())
                .containsExactly("b");
        assertThat(BestMatch.of(null, List.of(calls("b"), calls("a"))).answer()).containsExactly("b");
    }

    @Test
    void silenceMatchesSilenceBeforeAnythingThatActs() {
        BestMatch match = BestMatch.of(List.of(), List.of(calls("a"), calls()));
        assertThat(match.isSilence()).isTrue();
        assertThat(match.overlap()).isEqualTo(new NameOverlap(1, 1, 1));
    }

    @Test
    void malformedAgainstSilenceAloneIsNotExact() {
        BestMatch match = BestMatch.of(null, List.of(calls()));
        assertThat(match.isSilence()).isTrue();
        assertThat(match.exact()).isFalse();
        assertThat(match.overlap()).isEqualTo(NameOverlap.ZERO);
    }

    @Test
    void noAnswerAtAllIsABug() {
        assertThatThrownBy(() -> BestMatch.of(List.of(), List.of())).hasMessageContaining("no valid answer");
    }
}
