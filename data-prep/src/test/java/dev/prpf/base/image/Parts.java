package dev.prpf.base.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/** Puts together files of pictures. */
final class Parts {
    /** Where a JPEG's segments begin. */
    static final int SOI = 2;

    private Parts() {}

    static byte[] written(BufferedImage image, String format) throws IOException {
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

    /** A JPEG's segment: marker, length, content. */
    static byte[] segment(int marker, byte[] content) {
        return ByteBuffer.allocate(4 + content.length)
                .put((byte) 0xFF)
                .put((byte) marker)
                .putShort((short) (2 + content.length))
                .put(content)
                .array();
    }
}
