package dev.prpf.eval.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearDuplicatesTest {
    @Test
    void caseAndPunctuationDoNotMatterAndOtherTextsStayApart() {
        assertThat(ContextAgent.NearDuplicates.groups(
                        List.of("The user cooks.", "a dog barks", "the USER, cooks!", "")))
                .containsExactly(0, 1, 0, 3);
    }

    @Test
    void fourOfFiveWordsAreEnoughAndThreeOfFiveAreNot() {
        assertThat(ContextAgent.NearDuplicates.groups(List.of("a b c d", "a b c d e", "a b c x y")))
                .containsExactly(0, 0, 2);
    }

    @Test
    void groupsAreJoinedThroughTheirMembers() {
        String first = "a b c d e f g h i";
        String middle = first + " j";
        String last = middle + " k l"; // alike to the middle one, 10 of 12, and not to the first, 9 of 12
        assertThat(ContextAgent.NearDuplicates.groups(List.of(first, last))).containsExactly(0, 1);
        assertThat(ContextAgent.NearDuplicates.groups(List.of(first, last, middle)))
                .containsExactly(0, 0, 0);
    }
}
