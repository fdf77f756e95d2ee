package dev.prpf.data.encode.ocr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.ocr.TextRecogniser.TextLine;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class ScreenReaderTest {
    private static ScreenReader reader;

    @TempDir
    Path folder;

    @BeforeAll
    static void load() {
        reader = new ScreenReader(2);
    }

    @AfterAll
    static void close() {
        reader.close();
    }

    private static final List<String> LINES = List.of(
            "明天上午9:30的会议改到3号会议室",
            "航班CA1831预计14:05到达首都机场",
            "您的快递已放入丰巢柜取件码482913",
            "应付金额128.50元",
            "室内温度26度空调已开启",
            "Bluetooth",
            "周末去看电影吗",
            "剩余电量15%");

    @ParameterizedTest
    @ValueSource(floats = {11f, 13f, 14f})
    void readsASmallScreen(float size) {
        String text =
                reader.text(Pixels.of(DrawnScreen.of(LINES, 270, 600, size).image()));
        assertThat(text.lines()).containsExactlyElementsOf(LINES);
    }

    @Test
    void readsAPhoneSizedScreen() throws IOException {
        Path file = folder.resolve("big.png");
        DrawnScreen.of(LINES, 1080, 2400, 44f).write(file);
        assertThat(text(file).lines()).containsExactlyElementsOf(LINES);
    }

    private static String text(Path file) {
        return reader.texts(List.of(ImageFile.of(file))).get(0);
    }

    @Test
    void givesBoxesAndConfidences() throws IOException {
        Path file = folder.resolve("one.png");
        DrawnScreen.of(List.of("", "订单已发货"))
                .write(file); // baseline at y = 52, five characters of 13 pixels from x = 13
        List<TextLine> lines =
                reader.rows(Pixels.read(file)).stream().flatMap(List::stream).toList();
        assertThat(lines).hasSize(1);
        TextLine line = lines.get(0);
        assertThat(line.text()).isEqualTo("订单已发货");
        assertThat(line.confidence()).isBetween(0.9, 1.0);
        assertThat(line.x()).isBetween(5, 13);
        assertThat(line.x() + line.width()).isBetween(76, 88);
        assertThat(line.y()).isBetween(32, 42);
        assertThat(line.y() + line.height()).isBetween(52, 62);
    }

    @Test
    void anEmptyScreenHasNoText() {
        assertThat(reader.text(Pixels.of(DrawnScreen.of(List.of()).image()))).isEmpty();
    }

    @Test
    void aTinyImageIsNoError() {
        assertThat(reader.text(Pixels.of(new BufferedImage(1, 1, BufferedImage.TYPE_BYTE_GRAY))))
                .isEmpty();
    }

    @Test
    void rowsComeTopToBottomAndWithinARowLeftToRight() {
        TextLine title = new TextLine("标题", 1, 40, 10, 60, 20);
        TextLine left = new TextLine("左", 1, 5, 62, 20, 18);
        TextLine right = new TextLine("右", 1, 200, 60, 20, 24);
        TextLine below = new TextLine("下", 1, 5, 90, 20, 18);
        assertThat(TextLine.rows(List.of(below, right, left, title)))
                .containsExactly(List.of(title), List.of(left, right), List.of(below));
    }

    @Test
    void refusesAMissingImage() {
        refused(folder.resolve("no.png"), "no.png does not exist");
    }

    @Test
    void refusesWhatIsNoImage() throws IOException {
        Path file = Files.writeString(folder.resolve("text.png"), "this is text");
        refused(file, "text.png is not an image that can be read (PNG, JPEG, GIF, BMP)");
    }

    @Test
    void refusesATruncatedImage() throws IOException {
        Path file = folder.resolve("cut.png");
        DrawnScreen.of(LINES).write(file);
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length / 2));
        refused(file, "cut.png cannot be decoded");
        Files.write(file, Arrays.copyOf(whole, 20));
        refused(file, "cut.png cannot be decoded");
    }

    @Test
    void refusesAnImageThirtyThousandPixelsWideBeforeDecodingIt() throws IOException {
        Path wide = folder.resolve("wide.png");
        Files.write(wide, pngHeader(30_000, 2)); // no pixels at all: decoding them would fail otherwise
        refused(wide, "wide.png is 30000 x 2 pixels, at most 10000 a side");
        Files.write(wide, pngHeader(9_000, 9_000));
        refused(wide, "9000 x 9000 pixels, at most 10000 a side and 40 million in all");
    }

    @Test
    void refusesAnImageOfNoPixels() throws IOException {
        Path none = folder.resolve("none.png");
        Files.write(none, pngHeader(0, 20));
        refused(none, "none.png cannot be decoded");
        Files.write(none, pngHeader(20, 0));
        refused(none, "none.png cannot be decoded");
        Files.write(none, new byte[0]);
        refused(none, "none.png is not an image that can be read");
    }

    @Test
    void oneThreadAnImageReadsWhatAllThreadsRead() throws IOException {
        Path file = folder.resolve("screen.png");
        DrawnScreen.of(LINES, 540, 1200, 22f).write(file);
        List<String> onOneEach = reader.texts(List.of(ImageFile.of(file), ImageFile.of(file)));
        assertThat(onOneEach).containsExactly(text(file), text(file));
        assertThat(onOneEach.get(0).lines()).containsExactlyElementsOf(LINES);
    }

    private static void refused(Path image, String message) {
        assertThatThrownBy(() -> text(image))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining(message);
    }

    private static byte[] pngHeader(int width, int height) throws IOException {
        ByteArrayOutputStream chunk = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(chunk);
        data.write("IHDR".getBytes(StandardCharsets.US_ASCII));
        data.writeInt(width);
        data.writeInt(height);
        data.write(new byte[] {8, 2, 0, 0, 0});
        CRC32 crc = new CRC32();
        crc.update(chunk.toByteArray());
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(file);
        out.write(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'});
        out.writeInt(13);
        out.write(chunk.toByteArray());
        out.writeInt((int) crc.getValue());
        return file.toByteArray();
    }

    @Test
    void transparentPixelsLieOnWhite() throws IOException {
        BufferedImage clear = new BufferedImage(2, 1, BufferedImage.TYPE_INT_ARGB);
        clear.setRGB(1, 0, 0xFF102030);
        Path file = folder.resolve("clear.png");
        ImageIO.write(clear, "png", file.toFile());
        int[] rgb =
                Arrays.stream(Pixels.read(file).rgb()).map(p -> p & 0xFFFFFF).toArray();
        assertThat(rgb).containsExactly(0xFFFFFF, 0x102030);
    }
}
