package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class PromptPicturesTest {
    private static final int PLACEHOLDER = 9;

    /** Text 1 2, a picture of 2 x 3, text 3, a picture of 2 x 1, text 4 5. */
    private static final long[] PROMPT = {1, 2, 9, 9, 9, 9, 9, 9, 3, 9, 9, 4, 5};

    private static final List<PictureGrid> GRIDS = List.of(new PictureGrid(2, 3), new PictureGrid(2, 1));

    @Test
    void placesAndPositionsAreThoseOfTheFormula() {
        PromptPictures pictures = PromptPictures.of(PROMPT, PLACEHOLDER, GRIDS);

        assertThat(pictures.begins()).containsExactly(2, 9);
        long[][] positions = pictures.positions(0, PROMPT.length + 2);
        assertThat(positions[0]).containsExactly(0, 1, 2, 2, 2, 2, 2, 2, 5, 6, 6, 8, 9, 10, 11);
        assertThat(positions[1]).containsExactly(0, 1, 2, 2, 2, 3, 3, 3, 5, 6, 7, 8, 9, 10, 11);
        assertThat(positions[2]).containsExactly(0, 1, 2, 3, 4, 2, 3, 4, 5, 6, 6, 8, 9, 10, 11);
    }

    @Test
    void everyPartOfThePositionsIsThePartOfTheWhole() {
        PromptPictures pictures = PromptPictures.of(PROMPT, PLACEHOLDER, GRIDS);
        int end = PROMPT.length + 3;
        long[][] whole = pictures.positions(0, end);

        for (int from = 0; from < end; from++) {
            for (int to = from; to <= end; to++) {
                long[][] part = pictures.positions(from, to);
                for (int axis = 0; axis < 3; axis++) {
                    assertThat(part[axis])
                            .as("axis %d of %d to %d", axis, from, to)
                            .containsExactly(Arrays.copyOfRange(whole[axis], from, to));
                }
            }
        }
    }

    @Test
    void onePlaceholderAPictureBecomesOneAToken() {
        assertThat(PromptPictures.expand(new long[] {1, 2, 9, 3, 9, 4, 5}, PLACEHOLDER, GRIDS))
                .containsExactly(PROMPT);
        assertThat(PromptPictures.NONE.positions(0, 2)[2]).containsExactly(0, 1);
    }

    @Test
    void picturesAndPlacesMustBeAsMany() {
        assertThatThrownBy(() -> PromptPictures.expand(new long[] {1, 9}, PLACEHOLDER, GRIDS))
                .isInstanceOf(PrpfException.class)
                .hasMessage("the prompt has a place for 1 pictures, and 2 are given; give as many as it has places");
        assertThatThrownBy(() -> PromptPictures.of(PROMPT, PLACEHOLDER, GRIDS.subList(0, 1)))
                .isInstanceOf(PrpfException.class)
                .hasMessage("the prompt has 8 placeholders of pictures, its 1 pictures need 6");
        assertThatThrownBy(() -> PromptPictures.of(new long[] {9, 9, 1, 9, 9, 9, 9}, PLACEHOLDER, GRIDS))
                .isInstanceOf(PrpfException.class)
                .hasMessage("picture 1 of 2 has 6 tokens, but token 2 of the prompt is no placeholder of it");
    }
}
