package dev.prpf.base.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/** Assembles image files from parts. */
public final class Parts {
    /** The offset of a JPEG's first segment. */
    static final int SOI = 2;

    static final int APP1 = 0xE1;
    static final byte[] EXIF = "Exif\0\0".getBytes(StandardCharsets.US_ASCII);
    static final int ORIENTATION = 274;
    static final int SHORT = 3;

    private Parts() {}

    public static byte[] written(BufferedImage image, String format) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertThat(ImageIO.write(image, format, out)).isTrue();
        return out.toByteArray();
    }

    static byte[] joined(byte[]... parts) {
        ByteBuffer all = ByteBuffer.allocate(
                Stream.of(parts).mapToInt(part -> part.length).sum());
        Stream.of(parts).forEach(all::put);
        return all.array();
    }

    static byte[] inserted(byte[] file, int at, byte[] part) {
        return joined(Arrays.copyOf(file, at), part, Arrays.copyOfRange(file, at, file.length));
    }

    /** Creates a JPEG segment: marker, length, content. */
    static byte[] segment(int marker, byte[] content) {
        return ByteBuffer.allocate(4 + content.length)
                .put((byte) 0xFF)
                .put((byte) marker)
                .putShort((short) (2 + content.length))
                .put(content)
                .array();
    }

    /** Creates a JPEG with a leading EXIF block. */
    public static byte[] withExif(byte[] jpeg, byte[] exif) {
        return inserted(jpeg, SOI, segment(APP1, joined(EXIF, exif)));
    }

    /** Creates an EXIF block of one directory. */
    static byte[] exif(ByteOrder order, int... entry) {
        ByteBuffer block =
                ByteBuffer.allocate(8 + 2 + entry.length / 4 * 12 + 4).order(order);
        block.put((order == ByteOrder.BIG_ENDIAN ? "MM" : "II").getBytes(StandardCharsets.US_ASCII));
        block.putShort((short) 42).putInt(8).putShort((short) (entry.length / 4));
        for (int i = 0; i < entry.length; i += 4) {
            block.putShort((short) entry[i]).putShort((short) entry[i + 1]).putInt(entry[i + 2]);
            if (entry[i + 1] == SHORT) {
                block.putShort((short) entry[i + 3]).putShort((short) 0);
            } else {
                block.putInt(entry[i + 3]);
            }
        }
        return block.putInt(0).array();
    }

    /** Creates an EXIF block with only the orientation. */
    public static byte[] exif(int orientation) {
        return exif(ByteOrder.BIG_ENDIAN, ORIENTATION, SHORT, 1, orientation);
    }
}
