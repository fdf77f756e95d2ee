package dev.prpf.data.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileEncodingTest {
    @Test
    void writesThePixelsOf512ImagesOfTheUsualSide() {
        assertThat(FileEncoding.mostWithPixels(224)).isEqualTo(512);
        assertThat(FileEncoding.mostWithPixels(448))
                .as("twice the side, a quarter of the images")
                .isEqualTo(128);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 32, 224, 384, 591, 592, 1024, 4096, 10_000, 20_000})
    void pixelsThatAreWrittenFitIntoOneArray(int side) {
        long most = FileEncoding.mostWithPixels(side);
        assertThat(most * 3 * side * side * Float.BYTES).isLessThan(Integer.MAX_VALUE);
    }
}
