package dev.prpf.base.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests images of three blocks over three, A B C over D E F, with an EXIF block, against Pillow's {@code ImageOps.exif_transpose}. */
class OrientationTest {
    private static final int BLOCK = 16;
    private static final int PNG_CHUNKS_BEHIND_HEADER = 33;
    private static final int LONG = 4;

    private static final Map<Character, Color> COLOURS = Map.of(
            'A', Color.RED, 'B', Color.GREEN, 'C', Color.BLUE, 'D', Color.WHITE, 'E', Color.BLACK, 'F', Color.YELLOW);

    private static byte[] image(String format) throws IOException {
        BufferedImage image = new BufferedImage(3 * BLOCK, 2 * BLOCK, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        for (int i = 0; i < 6; i++) {
            graphics.setColor(COLOURS.get((char) ('A' + i)));
            graphics.fillRect(i % 3 * BLOCK, i / 3 * BLOCK, BLOCK, BLOCK);
        }
        graphics.dispose();
        return Parts.written(image, format);
    }

    private static byte[] jpeg(byte[] exif) throws IOException {
        return Parts.withExif(image("jpg"), exif);
    }

    private static int distance(int rgb, Color colour) {
        return Math.abs(((rgb >> 16) & 255) - colour.getRed())
                + Math.abs(((rgb >> 8) & 255) - colour.getGreen())
                + Math.abs((rgb & 255) - colour.getBlue());
    }

    private static char nearest(int rgb) {
        return COLOURS.entrySet().stream()
                .min(Comparator.comparingInt(entry -> distance(rgb, entry.getValue())))
                .orElseThrow()
                .getKey();
    }

    /** Returns the blocks after rotation, one word per row. */
    private static String shown(byte[] file) {
        Pixels pixels = EncodedImage.of(file).pixels();
        Pixels.Size header = EncodedImage.of(file).size();
        assertThat(header.width()).isEqualTo(pixels.width());
        assertThat(header.height()).isEqualTo(pixels.height());
        StringBuilder text = new StringBuilder();
        for (int y = BLOCK / 2; y < pixels.height(); y += BLOCK) {
            text.append(text.isEmpty() ? "" : " ");
            for (int x = BLOCK / 2; x < pixels.width(); x += BLOCK) {
                text.append(nearest(pixels.rgb()[y * pixels.width() + x]));
            }
        }
        return text.toString();
    }

    @ParameterizedTest
    @CsvSource({
        "1, ABC DEF",
        "2, CBA FED",
        "3, FED CBA",
        "4, DEF ABC",
        "5, AD BE CF",
        "6, DA EB FC",
        "7, FC EB DA",
        "8, CF BE AD",
        "0, ABC DEF",
        "9, ABC DEF"
    })
    void storedPixelsAreTurnedUpright(int orientation, String shown) throws IOException {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
            assertThat(shown(jpeg(Parts.exif(order, Parts.ORIENTATION, Parts.SHORT, 1, orientation))))
                    .isEqualTo(shown);
            assertThat(shown(
                            jpeg(Parts.exif(order, 256, LONG, 1, 640, Parts.ORIENTATION, Parts.SHORT, 1, orientation))))
                    .isEqualTo(shown);
        }
        byte[] jpeg = jpeg(Parts.exif(orientation));
        assertThat(EncodedImage.of(jpeg).upright()).isEqualTo(shown.equals("ABC DEF"));
    }

    @Test
    void aPngsBlockCountsWhereverItStands() throws IOException {
        byte[] png = image("png");
        byte[] block = Parts.exif(6);
        CRC32 sum = new CRC32();
        byte[] content = Parts.joined("eXIf".getBytes(StandardCharsets.US_ASCII), block);
        sum.update(content);
        byte[] chunk = Parts.joined(
                ByteBuffer.allocate(4).putInt(block.length).array(),
                content,
                ByteBuffer.allocate(4).putInt((int) sum.getValue()).array());
        assertThat(shown(png)).isEqualTo("ABC DEF");
        assertThat(shown(Parts.inserted(png, PNG_CHUNKS_BEHIND_HEADER, chunk))).isEqualTo("DA EB FC");
        assertThat(shown(Parts.inserted(png, png.length - 12, chunk))).isEqualTo("DA EB FC");
    }

    @Test
    void theFirstBlockBeforeThePixelsCounts() throws IOException {
        byte[] jpeg = jpeg(Parts.exif(6));
        byte[] other = Parts.segment(Parts.APP1, Parts.joined(Parts.EXIF, Parts.exif(3)));
        byte[] xmp =
                Parts.segment(Parts.APP1, "http://ns.adobe.com/xap/1.0/\0<x/>".getBytes(StandardCharsets.US_ASCII));
        byte[] comment = Parts.segment(0xFE, Parts.joined(Parts.EXIF, Parts.exif(3)));
        assertThat(shown(Parts.inserted(jpeg, Parts.SOI, xmp))).isEqualTo("DA EB FC");
        assertThat(shown(Parts.inserted(jpeg, Parts.SOI, comment))).isEqualTo("DA EB FC");
        assertThat(shown(Parts.inserted(jpeg, Parts.SOI, other))).isEqualTo("FED CBA");
        assertThat(shown(Parts.inserted(image("jpg"), image("jpg").length - 2, other)))
                .isEqualTo("ABC DEF");
    }

    /** Like Pillow, ignores a damaged entry and keeps the stored orientation. */
    @Test
    void aBrokenBlockIsNoError() throws IOException {
        byte[] sound = Parts.exif(6);
        int entryEnd = 8 + 2 + 12;
        for (int length = 0; length < sound.length; length++) {
            assertThat(shown(jpeg(Arrays.copyOf(sound, length))))
                    .as("%s bytes", length)
                    .isEqualTo(length < entryEnd ? "ABC DEF" : "DA EB FC");
        }
        byte[] moreEntries = sound.clone();
        ByteBuffer.wrap(moreEntries).putShort(8, (short) 0xFFFF);
        assertThat(shown(jpeg(moreEntries))).isEqualTo("DA EB FC");
        byte[] farAway = sound.clone();
        ByteBuffer.wrap(farAway).putInt(4, 0x7FFFFFFF);
        for (byte[] broken : new byte[][] {farAway, new byte[60_000]}) {
            assertThat(shown(jpeg(broken))).isEqualTo("ABC DEF");
        }
    }

    /** Defects outside the orientation are ignored: pointers and values past the end, unknown types. */
    @ParameterizedTest
    @CsvSource({
        "34665, 4, 1, 0x7FFF0000", // EXIF's directory
        "34665, 4, 1, 24",
        "34853, 4, 1, 0x7FFF0000", // GPS's
        "270, 2, 500, 0x7000",
        "282, 5, 1, 0x7000",
        "271, 0, 1, 0",
        "271, 129, 4, 0x41424344",
        "271, 0xFFFF, -1, -1"
    })
    void aBrokenNeighbourTakesNothingFromTheOrientation(int tag, int type, int count, int value) throws IOException {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
            assertThat(shown(jpeg(Parts.exif(order, tag, type, count, value, Parts.ORIENTATION, Parts.SHORT, 1, 6))))
                    .isEqualTo("DA EB FC");
            assertThat(shown(jpeg(Parts.exif(order, Parts.ORIENTATION, Parts.SHORT, 1, 6, tag, type, count, value))))
                    .isEqualTo("DA EB FC");
        }
    }

    /** A server reads untrusted blocks. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 12})
    void aBlockThatClaimsGigabytesOrLoopsTakesNeither(int type) throws IOException {
        ByteOrder order = ByteOrder.BIG_ENDIAN;
        byte[] huge = Parts.exif(order, Parts.ORIENTATION, Parts.SHORT, 1, 6, 700, type, 0x7FFFFFF0, 8);
        assertThat(shown(jpeg(huge))).isEqualTo("DA EB FC");
        assertThat(shown(jpeg(Parts.exif(order, Parts.ORIENTATION, type, 0x0FFFFFF0, 8))))
                .isEqualTo("ABC DEF");
        byte[] loop = Parts.exif(order, Parts.ORIENTATION, Parts.SHORT, 1, 6, 34665, LONG, 1, 8);
        assertThat(shown(jpeg(loop))).isEqualTo("DA EB FC");
    }
}
