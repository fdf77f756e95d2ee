package dev.prpf.par.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.DataUrl;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;

/** Images drawn by a formula, and what arrived of them at a server. */
public final class DrawnImages {
    private DrawnImages() {}

    /** Writes an image; the name's ending is its format. Images of other seeds have other pixels. */
    public static Path draw(Path file, int width, int height, int seed) throws IOException {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                image.setRGB(x, y, ((x * 3 + seed * 40) & 255) << 16 | ((y * 5) & 255) << 8 | ((x + y + seed) & 255));
            }
        }
        String name = file.getFileName().toString();
        ImageIO.write(image, name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT), file.toFile());
        return file;
    }

    /** A JPEG with a segment that says how it is turned: TIFF of one directory with one tag, 274, a short. */
    public static byte[] turned(byte[] jpeg, int orientation) {
        ByteBuffer turned = ByteBuffer.allocate(jpeg.length + 36).put(jpeg, 0, 2);
        turned.putShort((short) 0xFFE1).putShort((short) 34);
        turned.put("Exif\0\0MM\0*".getBytes(StandardCharsets.US_ASCII)).putInt(8);
        turned.putShort((short) 1).putShort((short) 274).putShort((short) 3).putInt(1);
        turned.putInt(orientation << 16).putInt(0).put(jpeg, 2, jpeg.length - 2);
        return turned.array();
    }

    /** A message's parts in words: its texts, and {@code <image>} for an image. */
    public static List<String> parts(JsonNode content) {
        List<String> parts = new ArrayList<>();
        content.forEach(part -> parts.add(
                part.path("type").asText().equals("image_url")
                        ? "<image>"
                        : part.path("text").asText()));
        return parts;
    }

    /** The bytes of the images that a message holds, in order. */
    public static List<byte[]> bytes(JsonNode content) {
        List<byte[]> images = new ArrayList<>();
        content.forEach(part -> {
            if (part.path("type").asText().equals("image_url")) {
                images.add(DataUrl.bytes(part.at("/image_url/url").asText()));
            }
        });
        return images;
    }

    /** The sizes of those images. */
    public static List<Pixels.Size> sizes(JsonNode content) {
        return bytes(content).stream().map(Pixels::size).toList();
    }
}
