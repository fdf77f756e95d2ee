package dev.prpf.base.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.files.JsonFile;
import dev.prpf.data.encode.TestFiles;
import dev.prpf.data.encode.image.ImageFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares images of {@code make_images.py} with the pixels of transformers' image processors. */
class PixelsTest {
    private static Path image(String name) {
        return TestFiles.golden("image-formats/" + name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rgb.png",
                "rgb.bmp",
                "rgba.png",
                "rgb16.png",
                "rgba16.png",
                "grey.png",
                "grey4.png",
                "grey-alpha.png",
                "binary.png",
                "palette.png",
                "palette.gif",
                "palette-transparent.png",
                "key.png"
            })
    void pixelsAreThoseOfImageProcessors(String name) {
        JsonNode rows =
                JsonFile.object(TestFiles.golden("image-formats/pixels.json")).path(name);
        Pixels pixels = Pixels.read(image(name));
        assertThat(rows).hasSize(5);
        assertThat(pixels.height()).isEqualTo(5);
        for (int y = 0; y < 5; y++) {
            StringBuilder row = new StringBuilder();
            for (int x = 0; x < pixels.width(); x++) {
                row.append(x == 0 ? "" : " ").append(String.format(Locale.ROOT, "%06X", pixels.rgb()[y * 7 + x]));
            }
            assertThat(row).as("row %s", y).hasToString(rows.get(y).asText());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "animated.gif|is animated, it has 2 frames; a screenshot is one: save the frame that is meant as PNG",
                "animated.png|is animated, it has 2 frames",
                "grey16.png|is grey in 16 bits, of which image processors read all but the darkest as white; convert it to 8",
                "cmyk.jpg|is neither grey nor red, green and blue (a JPEG for print, in CMYK); convert it to RGB",
                "truncated.png|cannot be decoded",
                "enormous.png|is 9000 x 9000 pixels, at most 10000 a side and 40 million in all are read",
                "pixels.json|is not an image that can be read (PNG, JPEG, GIF, BMP); convert it or remove the record",
            })
    void whatIsNoScreenshotIsRefused(String name, String rule) throws IOException {
        byte[] content = Files.readAllBytes(image(name));
        assertThatThrownBy(() -> Pixels.read(image(name)))
                .satisfies(e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining(name)
                .hasMessageContaining(rule);
        assertThatThrownBy(() -> Pixels.read(content))
                .satisfies(e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining(rule);
    }

    @Test
    void whatAHeaderTellsIsRefusedBeforeItsPixelsAreDecoded() {
        assertThatThrownBy(() -> Pixels.size(image("enormous.png"))).hasMessageContaining("is 9000 x 9000 pixels");
        assertThatThrownBy(() -> Pixels.size(image("animated.gif"))).hasMessageContaining("is animated");
        Pixels.size(image("truncated.png"));
    }

    @Test
    void theSizeIsTheHeaders() throws IOException {
        Pixels.Size size = Pixels.size(Files.readAllBytes(image("truncated.png")));
        assertThat(size).isEqualTo(new Pixels.Size(7, 5));
        assertThat(ImageFile.of(image("rgb.png")).size()).isEqualTo(size);
    }
}
