package dev.prpf.base.image;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.imageio.ImageIO;

/**
 * A decoded picture.
 *
 * @param width in pixels
 * @param height in pixels
 * @param rgb 0xRRGGBB, row-major; transparent pixels lie on white
 */
public record Pixels(int width, int height, int[] rgb) {
    /** Those of an image in memory. */
    public static Pixels of(BufferedImage image) {
        return new Pixels(image.getWidth(), image.getHeight(), PixelReader.rgb(image));
    }

    /** As an image to draw with. */
    public BufferedImage image() {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        image.setRGB(0, 0, width, height, rgb, 0, width);
        return image;
    }

    /** As a PNG file's bytes. */
    public byte[] png() {
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        try {
            ImageIO.write(image(), "png", png);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return png.toByteArray();
    }
}
