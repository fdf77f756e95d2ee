package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ImagePartsTest {
    /** Prompts are what their features take. */
    private static List<String> events(long mostBytes, int batch, Integer... prompts) {
        List<String> events = new ArrayList<>();
        ImageParts.forEach(
                Stream.of(prompts).peek(prompt -> events.add("seen " + prompt)),
                Integer::longValue,
                mostBytes,
                batch,
                part -> events.add("used " + part));
        return events;
    }

    @Test
    void partEndsAtTheBound_andTheNextPromptIsEncodedAfterwards() {
        assertThat(events(5, 1, 2, 3, 9, 4))
                .containsExactly("seen 2", "seen 3", "used [2, 3]", "seen 9", "used [9]", "seen 4", "used [4]");
        assertThat(events(4, 1, 2, 3)).containsExactly("seen 2", "seen 3", "used [2, 3]");
    }

    @Test
    void aPartIsOfWholeBatchesWhereOneIsWithinTheBound() {
        assertThat(events(5, 2, 2, 2, 3, 1, 1, 2))
                .as("the third reaches the bound and stays for the next part")
                .containsExactly(
                        "seen 2",
                        "seen 2",
                        "seen 3",
                        "used [2, 2]",
                        "seen 1",
                        "seen 1",
                        "used [3, 1]",
                        "seen 2",
                        "used [1, 2]");
        assertThat(events(5, 4, 2, 3, 1))
                .as("a batch takes more than the bound")
                .containsExactly("seen 2", "seen 3", "used [2, 3]", "seen 1", "used [1]");
        assertThat(events(5, 2, 1, 1, 9, 1))
                .as("a prompt that takes more than the bound stays for no other")
                .containsExactly("seen 1", "seen 1", "seen 9", "used [1, 1]", "used [9]", "seen 1", "used [1]");
    }

    @Test
    void promptsOfTextAreOnePart() {
        assertThat(events(1, 2, 0, 0, 0)).containsExactly("seen 0", "seen 0", "seen 0", "used [0, 0, 0]");
        assertThat(events(1, 2)).isEmpty();
    }

    @Test
    void theBoundIsAShareOfTheHeap() {
        assertThat(ImageParts.mostBytes()).isEqualTo(Runtime.getRuntime().maxMemory() / 8);
    }
}
