package dev.prpf.data.encode.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.image.Pixels;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

/** Tests data URLs and images in memory. */
class DataUrlTest {
    private static byte[] drawn(String format) throws IOException {
        BufferedImage image = new BufferedImage(7, 5, BufferedImage.TYPE_INT_RGB);
        image.setRGB(3, 2, 0x123456);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageIO.write(image, format, out);
        return out.toByteArray();
    }

    private static String url(byte[] content) {
        return "data:image/png;base64," + Base64.getEncoder().encodeToString(content);
    }

    @Test
    void anImagesBytesAreInItsUrl() throws IOException {
        byte[] png = drawn("png");
        assertThat(DataUrl.bytes(url(png))).isEqualTo(png);
        assertThat(DataUrl.bytes(url(png).replace("data:image/png", "DATA:image/JPEG")))
                .isEqualTo(png);
        assertThat(DataUrl.is("Data:image/png;base64,AAAA")).isTrue();
        assertThat(DataUrl.is("shots/data:1.png")).isFalse();
    }

    @Test
    void aTextThatHoldsADataUrlIsToldFromOneThatSpeaksOfData() throws IOException {
        for (String text : new String[] {
            url(drawn("png")), "  " + url(drawn("png")), "see data:IMAGE/svg+xml,<svg/>", "data:;base64,AAAA", "DATA:,x"
        }) {
            assertThat(DataUrl.within(text)).as(text).isTrue();
        }
        for (String text : new String[] {"", "Data: 3 GB left", "data:3 of image/png", "打开地图", "data; and more"}) {
            assertThat(DataUrl.within(text)).as(text).isFalse();
        }
    }

    @Test
    void whatIsNoStrictBase64OfAnImageIsRefusedWithoutBeingRepeated() {
        Map<String, String> refused = Map.of(
                "data:text/html;base64,PHNlY3JldD4=", "must begin with data:image/TYPE;base64,",
                "data:image/png,secret", "must begin with",
                "data:image/png;base64,", "has 0 characters of base64",
                "data:image/png;base64,c2VjcmV0MQ", "has 10 characters of base64, must have a multiple of 4",
                "data:image/png;base64,secr ts=", "is not base64",
                "data:image/png;base64,secr-_s=", "is not base64",
                "data:image/png;base64,se=ret==", "is not base64");
        refused.forEach((url, rule) -> assertThatThrownBy(() -> DataUrl.bytes(url))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining(rule)
                .hasMessageNotContaining("secr"));
    }

    @Test
    void anImageInMemoryIsReadAsItsFileWouldBe() throws IOException {
        for (String format : new String[] {"png", "jpg", "gif", "bmp"}) {
            byte[] content = drawn(format);
            assertThat(Pixels.size(content)).as(format).isEqualTo(new Pixels.Size(7, 5));
            Pixels raster = new ImageFile(null, new ImageFile.Content(content), "s").read();
            assertThat(raster.rgb()).as(format).hasSize(35);
        }
        assertThat(Pixels.read(drawn("png")).rgb()[2 * 7 + 3] & 0xFFFFFF).isEqualTo(0x123456);
    }

    @Test
    void whatIsNoImageNamesItsOwnerAndItsLengthAlone() throws IOException {
        byte[] text = "secret".getBytes(StandardCharsets.UTF_8);
        ImageFile none = new ImageFile(null, new ImageFile.Content(text), "s1");
        assertThatThrownBy(none::read)
                .hasMessageStartingWith("sample s1: image of 6 bytes is not an image that can be read")
                .hasMessageNotContaining("secret");
        byte[] cut = Arrays.copyOf(drawn("png"), 30);
        assertThatThrownBy(() -> Pixels.read(cut)).isInstanceOf(PrpfException.class);
        assertThat(none).hasToString("image of 6 bytes");
    }

    /** A header of 60,000 x 60,000 pixels in 70 bytes. */
    @Test
    void anImageBombIsRefusedByItsHeader() throws IOException {
        byte[] bomb = drawn("png");
        ByteBuffer.wrap(bomb).putInt(16, 60_000).putInt(20, 60_000);
        assertThatThrownBy(() -> Pixels.size(bomb)).hasMessageContaining("60000 x 60000 pixels");
    }

    @Test
    void anImageIsInAFileOrInMemory() {
        assertThatThrownBy(() -> new ImageFile(null, null, ""))
                .hasMessage("an image must have either a file or content");
    }
}
