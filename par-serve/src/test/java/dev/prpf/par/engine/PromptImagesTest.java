package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class PromptImagesTest {
    private static final int PLACEHOLDER = 9;

    /** Text 1 2, an image of 2 x 3, text 3, an image of 2 x 1, text 4 5. */
    private static final long[] PROMPT = {1, 2, 9, 9, 9, 9, 9, 9, 3, 9, 9, 4, 5};

    private static final List<ImageGrid> GRIDS = List.of(new ImageGrid(2, 3), new ImageGrid(2, 1));

    @Test
    void placesAndPositionsAreThoseOfTheFormula() {
        PromptImages images = PromptImages.of(PROMPT, PLACEHOLDER, GRIDS);

        assertThat(images.begins()).containsExactly(2, 9);
        long[][] positions = images.positions(0, PROMPT.length + 2);
        assertThat(positions[0]).containsExactly(0, 1, 2, 2, 2, 2, 2, 2, 5, 6, 6, 8, 9, 10, 11);
        assertThat(positions[1]).containsExactly(0, 1, 2, 2, 2, 3, 3, 3, 5, 6, 7, 8, 9, 10, 11);
        assertThat(positions[2]).containsExactly(0, 1, 2, 3, 4, 2, 3, 4, 5, 6, 6, 8, 9, 10, 11);
    }

    @Test
    void everyPartOfThePositionsIsThePartOfTheWhole() {
        PromptImages images = PromptImages.of(PROMPT, PLACEHOLDER, GRIDS);
        int end = PROMPT.length + 3;
        long[][] whole = images.positions(0, end);

        for (int from = 0; from < end; from++) {
            for (int to = from; to <= end; to++) {
                long[][] part = images.positions(from, to);
                for (int axis = 0; axis < 3; axis++) {
                    assertThat(part[axis])
                            .as("axis %d of %d to %d", axis, from, to)
                            .containsExactly(Arrays.copyOfRange(whole[axis], from, to));
                }
            }
        }
    }

    @Test
    void onePlaceholderAnImageBecomesOneAToken() {
        assertThat(PromptImages.expand(new long[] {1, 2, 9, 3, 9, 4, 5}, PLACEHOLDER, GRIDS))
                .containsExactly(PROMPT);
        assertThat(PromptImages.NONE.positions(0, 2)[2]).containsExactly(0, 1);
    }

    @Test
    void imagesAndPlacesMustBeAsMany() {
        assertThatThrownBy(() -> PromptImages.expand(new long[] {1, 9}, PLACEHOLDER, GRIDS))
                .isInstanceOf(PrpfException.class)
                .hasMessage("the prompt has a place for 1 images, and 2 are given; give as many as it has places");
        assertThatThrownBy(() -> PromptImages.of(PROMPT, PLACEHOLDER, GRIDS.subList(0, 1)))
                .isInstanceOf(PrpfException.class)
                .hasMessage("the prompt has 8 placeholders of images, its 1 images need 6");
        assertThatThrownBy(() -> PromptImages.of(new long[] {9, 9, 1, 9, 9, 9, 9}, PLACEHOLDER, GRIDS))
                .isInstanceOf(PrpfException.class)
                .hasMessage("image 1 of 2 has 6 tokens, but token 2 of the prompt is no placeholder of it");
    }
}
