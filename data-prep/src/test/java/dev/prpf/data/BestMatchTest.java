package dev.prpf.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.data.BestMatch.NameOverlap;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BestMatchTest {
    private static List<FunctionCall> calls(String... names) {
        return Arrays.stream(names)
                .map(name -> new FunctionCall(name, Map.of()))
                .toList();
    }

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
    void theOtherPapersProtocolPrefersEquivalenceAndIgnoresOrder() {
        List<List<FunctionCall>> answers = List.of(calls("b", "a"), calls("a", "b"), calls("c"));
        List<String> predicted = List.of("a", "b");
        BestMatch none = BestMatch.equivalentFirst(predicted, answers, i -> false);
        assertThat(none.answer()).as("equal sets: the first").containsExactly("b", "a");
        assertThat(none.exact()).isFalse();
        assertThat(none.overlap().f1()).isEqualTo(1);
        BestMatch judged = BestMatch.equivalentFirst(predicted, answers, i -> i > 0);
        assertThat(judged.answer()).as("the first equivalent one").containsExactly("a", "b");
        assertThat(judged.exact()).isTrue();
        assertThat(BestMatch.equivalentFirst(predicted, answers, i -> i == 2).answer())
                .containsExactly("c");
        assertThat(BestMatch.equivalentFirst(null, List.of(calls(), calls("a")), i -> false)
                        .answer())
                .containsExactly("a");
        assertThatThrownBy(() -> BestMatch.equivalentFirst(predicted, List.of(), i -> true))
                .hasMessageContaining("no valid answer");
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
    void equalSharesAreEqualWhateverTheSizes() {
        List<String> predicted = List.of("a", "b", "c", "d");
        assertThat(NameOverlap.of(predicted, List.of("a", "b")).f1())
                .isEqualTo(NameOverlap.of(predicted, List.of("a", "b", "c", "x", "y"))
                        .f1());
        assertThat(BestMatch.of(predicted, List.of(calls("a", "b", "c", "x", "y"), calls("a", "b")))
                        .answer())
                .as("a tie: the first")
                .containsExactly("a", "b", "c", "x", "y");
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

    @Test
    void answersThatMatchEquallyWellAreAllNamed() {
        List<List<FunctionCall>> answers = List.of(calls(), calls("b", "a"), calls("a", "b"), calls("a", "b"));
        assertThat(BestMatch.ties(List.of("a", "b"), answers)).containsExactly(calls("a", "b"), calls("a", "b"));
        assertThat(BestMatch.ties(List.of("a"), answers))
                .as("all acting answers overlap alike")
                .hasSize(3)
                .doesNotContain(calls());
        assertThat(BestMatch.ties(List.of("x"), answers))
                .as("nothing in common: silence gives way to what acts")
                .hasSize(3);
        assertThat(BestMatch.ties(List.of(), answers)).containsExactly(calls());
        assertThat(BestMatch.ties(null, List.of(calls()))).containsExactly(calls());
    }
}
