package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PicturePartsTest {
    /** Prompts are what their features take. */
    private static List<String> events(long mostBytes, Integer... prompts) {
        List<String> events = new ArrayList<>();
        PictureParts.forEach(
                Stream.of(prompts).peek(prompt -> events.add("seen " + prompt)),
                Integer::longValue,
                mostBytes,
                part -> events.add("used " + part));
        return events;
    }

    @Test
    void aPartEndsWithThePromptThatReachesTheBoundAndTheNextIsSeenAfterIt() {
        assertThat(events(5, 2, 3, 9, 4))
                .containsExactly("seen 2", "seen 3", "used [2, 3]", "seen 9", "used [9]", "seen 4", "used [4]");
        assertThat(events(4, 2, 3)).containsExactly("seen 2", "seen 3", "used [2, 3]");
    }

    @Test
    void promptsOfTextAreOnePart() {
        assertThat(events(1, 0, 0, 0)).containsExactly("seen 0", "seen 0", "seen 0", "used [0, 0, 0]");
        assertThat(events(1)).isEmpty();
    }

    @Test
    void theBoundIsAShareOfTheHeap() {
        assertThat(PictureParts.mostBytes())
                .isPositive()
                .isLessThan(Runtime.getRuntime().maxMemory() / 4);
    }
}
