package dev.prpf.base.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.Fuzz;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.image.EncodedImage.DecodingTime;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EncodedImageTest {

    @TempDir
    private Path folder;

    private static BufferedImage noise() {
        BufferedImage image = new BufferedImage(40, 30, BufferedImage.TYPE_INT_RGB);
        Random random = new Random(5);
        for (int i = 0; i < 40 * 30; i++) {
            image.setRGB(i % 40, i / 40, random.nextInt(1 << 24));
        }
        return image;
    }

    private static byte[] progressive(BufferedImage image) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
        try (ImageOutputStream stream = ImageIO.createImageOutputStream(out)) {
            writer.setOutput(stream);
            ImageWriteParam param = writer.getDefaultWriteParam();
            param.setProgressiveMode(ImageWriteParam.MODE_DEFAULT);
            writer.write(null, new IIOImage(image, null, null), param);
        } finally {
            writer.dispose();
        }
        return out.toByteArray();
    }

    @Test
    void mutatedImages_areDecodedOrRefused() throws IOException {
        List<byte[]> images = new ArrayList<>(List.of(progressive(noise())));
        for (String format : List.of("png", "jpg", "gif", "bmp")) {
            images.add(Parts.written(noise(), format));
        }
        images.add(Parts.withExif(images.get(2), Parts.exif(6)));
        Path file = folder.resolve("mutated");
        Fuzz.run("images", 300, images, (input, random) -> {
            if (random.nextInt(8) == 0) {
                EncodedImage.of(Files.write(file, input)).requireWhole();
            }
            EncodedImage image = EncodedImage.of(input);
            Pixels.Size header = image.size();
            assertThat((long) header.width() * header.height()).isBetween(1L, 40_000_000L);
            image.pixels();
        });
    }

    private void assertCutOff(byte[] file, int length, String format) throws IOException {
        byte[] cut = Arrays.copyOf(file, length);
        Path path = Files.write(folder.resolve("cut." + format), cut);
        for (EncodedImage image : new EncodedImage[] {EncodedImage.of(path), EncodedImage.of(cut)}) {
            assertThatThrownBy(image::pixels)
                    .as("%s of %s bytes of %s", length, file.length, format)
                    .satisfies(e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContaining(image.toString());
            assertThatThrownBy(image::requireWhole)
                    .satisfies(e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContaining(image.toString());
        }
    }

    /** Files that Pillow reports as truncated. */
    @ParameterizedTest
    @ValueSource(strings = {"jpg", "progressive jpg", "png", "gif", "bmp"})
    void aFileThatIsCutAnywhereIsRefused(String format) throws IOException {
        byte[] file = format.startsWith("progressive") ? progressive(noise()) : Parts.written(noise(), format);
        assertThat(EncodedImage.of(file).pixels().width()).isEqualTo(40);
        EncodedImage.of(file).requireWhole();
        for (int length : IntStream.concat(
                        IntStream.of(file.length - 1, file.length - 2, file.length - 5, file.length - 13),
                        IntStream.rangeClosed(1, 19).map(i -> i * file.length / 20))
                .toArray()) {
            assertCutOff(file, length, "jpg".equals(format) ? "jpg" : format.replace(' ', '.'));
        }
    }

    /** A progressive JPEG that repeats its last scan: each 37 bytes make the decoder visit all pixels. */
    @Test
    void aJpegOfManyScans_isRefusedBeforeItIsDecoded() throws IOException {
        byte[] file = progressive(noise());
        int scan = file.length - 2;
        while (file[scan] != (byte) 0xFF || file[scan + 1] != (byte) 0xDA) {
            scan--;
        }
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        bomb.write(file, 0, file.length - 2);
        for (int i = 0; i < 70; i++) {
            bomb.write(file, scan, file.length - 2 - scan);
        }
        bomb.write(file, file.length - 2, 2);
        EncodedImage image = EncodedImage.of(bomb.toByteArray());
        EncodedImage ofFile = EncodedImage.of(Files.write(folder.resolve("bomb.jpg"), bomb.toByteArray()));
        for (ThrowingCallable reading :
                new ThrowingCallable[] {image::size, image::requireWhole, image::pixels, ofFile::pixels}) {
            assertThatThrownBy(reading)
                    .satisfies(e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContaining("times over its 1200 pixels, at most 64 times and 400 million pixels in all");
        }
        assertThat(EncodedImage.of(file).pixels().width()).isEqualTo(40);
    }

    /** The decoder appends each block to all before it: 100,000 blocks of one byte took 8 s. */
    @Test
    void aGifOfManyComments_isRefusedBeforeItIsDecoded() throws IOException {
        byte[] file = Parts.written(noise(), "gif");
        for (int blocks : new int[] {9_000, 11_000}) {
            ByteArrayOutputStream commented = new ByteArrayOutputStream();
            commented.write(file, 0, file.length - 1);
            commented.write(new byte[] {0x21, (byte) 0xFE});
            commented.writeBytes("\1a".repeat(blocks).getBytes(StandardCharsets.US_ASCII));
            commented.write(new byte[] {0, 0x3B});
            EncodedImage image = EncodedImage.of(commented.toByteArray());
            if (blocks < 10_000) {
                assertThat(image.pixels().width()).isEqualTo(40);
            } else {
                assertThatThrownBy(image::size).hasMessageContaining("more than 10000 blocks of extensions; replace");
            }
        }
    }

    @Test
    void decodingEndsWhenItsTimeIsOver() throws IOException {
        byte[] file = Parts.written(noise(), "png");
        try (DecodingTime late = new DecodingTime(file, () -> {}, -1)) {
            assertThatThrownBy(() -> late.readFully(new byte[8])).hasMessageContaining("decoding it takes more than");
        }
        assertThat(ImageIO.read(new DecodingTime(file, () -> {})).getWidth()).isEqualTo(40);
    }

    @ParameterizedTest
    @ValueSource(strings = {"png", "jpg", "gif", "bmp"})
    void decodingEndsWhenItsClientDisconnects(String format) throws IOException {
        byte[] file = Parts.written(noise(), format);
        IllegalStateException gone = new IllegalStateException("the client disconnected");
        EncodedImage image = EncodedImage.of(file, () -> {
            throw gone;
        });
        assertThatThrownBy(image::pixels).isSameAs(gone);
        assertThat(EncodedImage.of(file, () -> {}).pixels().width()).isEqualTo(40);
    }

    /** Images that the JDK reads, too. */
    @ParameterizedTest
    @CsvSource({"tiff, 1", "wbmp, 12"})
    void anotherFormatIsNoImage(String format, int type) throws IOException {
        EncodedImage image = EncodedImage.of(Parts.written(new BufferedImage(40, 30, type), format));
        for (ThrowingCallable reading : new ThrowingCallable[] {image::size, image::requireWhole, image::pixels}) {
            assertThatThrownBy(reading)
                    .satisfies(e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContaining(image + " is not an image that can be read (PNG, JPEG, GIF, BMP)");
        }
    }

    @Test
    void theErrorNamesFileAndRule() throws IOException {
        byte[] file = Parts.written(noise(), "jpg");
        Path cut = Files.write(folder.resolve("cut.jpg"), Arrays.copyOf(file, file.length / 2));
        assertThatThrownBy(() -> EncodedImage.of(cut).pixels())
                .hasMessage("image " + cut + " cannot be decoded: the file is truncated, its end is missing; replace or"
                        + " convert it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gif", "bmp"})
    void aCutGifOrBmpIsCalledCutOff(String format) throws IOException {
        byte[] file = Parts.written(noise(), format);
        for (int length = 5; length < file.length; length += 7) {
            EncodedImage cut = EncodedImage.of(Arrays.copyOf(file, length));
            assertThatThrownBy(cut::requireWhole).hasMessageContaining("the file is truncated, its end is missing");
            assertThatThrownBy(cut::pixels).hasMessageContaining("the file is truncated, its end is missing");
        }
    }

    /** Defects of the header are also reported for a truncated file. */
    @ParameterizedTest
    @ValueSource(strings = {"jpg", "png", "gif", "bmp"})
    void theHeaderIsEnoughForTheSize(String format) throws IOException {
        byte[] file = Parts.written(noise(), format);
        Pixels.Size header =
                EncodedImage.of(Arrays.copyOf(file, file.length * 3 / 4)).size();
        assertThat(header.width()).isEqualTo(40);
        assertThat(header.height()).isEqualTo(30);
    }

    @Test
    void whatOnlyWarnsPasses() throws IOException {
        byte[] plain = Parts.written(noise(), "jpg");
        int[] expected = EncodedImage.of(plain).pixels().rgb();
        byte[] end = {(byte) 0xFF, (byte) 0xD9};
        byte[] fill = {(byte) 0xFF, (byte) 0xFF};
        byte[] extraneous = {1, 2, 3};
        byte[] bogusProfile = Parts.segment(0xE2, "ICC_PROFILE\0\1\1no profile".getBytes(StandardCharsets.ISO_8859_1));
        byte[] endInside = Parts.segment(0xFE, Parts.joined(end, end));
        for (byte[] file : new byte[][] {
            Parts.joined(plain, extraneous),
            Parts.joined(plain, plain),
            Parts.inserted(plain, plain.length - end.length, extraneous),
            Parts.inserted(plain, plain.length - end.length, fill),
            Parts.inserted(plain, Parts.SOI, bogusProfile),
            Parts.inserted(plain, Parts.SOI, endInside),
        }) {
            assertThat(EncodedImage.of(file).pixels().rgb()).isEqualTo(expected);
            EncodedImage.of(file).requireWhole();
        }
    }

    @Test
    void anEndWithinAnotherPartIsNone() throws IOException {
        byte[] plain = Parts.written(noise(), "jpg");
        byte[] thumbnail = Parts.segment(0xE1, Parts.joined("Exif\0\0".getBytes(StandardCharsets.US_ASCII), plain));
        byte[] file = Parts.inserted(plain, Parts.SOI, thumbnail);
        assertCutOff(file, file.length - 20, "jpg");
    }
}
