package dev.prpf.data.encode.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.image.Pixels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ImageBudgetTest {
    /** Sizes of transformers 5.23.0: {@code smart_resize(height, width, 32, 0, tokens * 1024)}. */
    @ParameterizedTest
    @CsvSource({
        "1080, 2400, 1024, 672, 1504",
        "1080, 2400, 100, 192, 448",
        "270, 600, 50, 128, 320",
        "448, 448, 49, 224, 224",
    })
    void anImageBeyondTheBudgetIsAsSmartResizeMakesIt(int width, int height, int tokens, int toWidth, int toHeight) {
        assertThat(ImageBudget.fitting(new Pixels.Size(width, height), tokens))
                .isEqualTo(new Pixels.Size(toWidth, toHeight));
    }

    @Test
    void theBudgetHoldsForImagesTooNarrowForSmartResize() {
        assertThat(ImageBudget.fitting(new Pixels.Size(3000, 40), 24)).isEqualTo(new Pixels.Size(24 * 32, 32));
    }

    @Test
    void anImageWithinTheBudgetStaysAsItIs() {
        Pixels.Size size = new Pixels.Size(33, 50);
        assertThat(ImageBudget.fitting(size, 2)).isEqualTo(size);
        assertThat(ImageBudget.fitting(new Pixels.Size(9000, 4000), null)).isEqualTo(new Pixels.Size(9000, 4000));
    }

    @Test
    void aPngHasTheSizeAndWhatTheImageShows() {
        int[] rgb = new int[64 * 64];
        for (int at = 0; at < rgb.length; at++) {
            rgb[at] = at % 64 < 32 ? 0xC81E0A : 0x0A64FA;
        }
        Pixels shrunk = Pixels.read(ImageBudget.png(new Pixels(64, 64, rgb), new Pixels.Size(32, 32)));
        assertThat(shrunk.rgb()).hasSize(32 * 32);
        assertThat(shrunk.rgb()[16 * 32 + 4]).isEqualTo(0xC81E0A);
        assertThat(shrunk.rgb()[16 * 32 + 28]).isEqualTo(0x0A64FA);
    }
}
