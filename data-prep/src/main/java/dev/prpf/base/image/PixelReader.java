package dev.prpf.base.image;

import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;

/**
 * Reads pixels as Pillow's {@code convert} does: stored samples, the upper byte of 16-bit ones, without the colour profile.
 * Transparent pixels are composited over white (transformers 5.23, {@code convert_to_rgb}).
 */
final class PixelReader {
    private PixelReader() {}

    /** Returns pixels as 0xRRGGBB, row-major. */
    static int[] rgb(BufferedImage image) {
        ColorModel model = image.getColorModel();
        boolean samples = model instanceof ComponentColorModel
                && (model.getTransferType() == DataBuffer.TYPE_BYTE
                        || model.getTransferType() == DataBuffer.TYPE_USHORT);
        return samples ? ofSamples(image) : ofColours(image);
    }

    private static int[] ofSamples(BufferedImage image) {
        int width = image.getWidth();
        int bands = image.getRaster().getNumBands();
        int shift = image.getColorModel().getTransferType() == DataBuffer.TYPE_USHORT ? 8 : 0;
        int[] rgb = new int[width * image.getHeight()];
        int[] row = new int[width * bands];
        for (int y = 0, at = 0; y < image.getHeight(); y++) {
            image.getRaster().getPixels(0, y, width, 1, row);
            for (int x = 0; x < row.length; x += bands, at++) {
                int red = row[x] >> shift;
                int green = bands < 3 ? red : row[x + 1] >> shift;
                int blue = bands < 3 ? red : row[x + 2] >> shift;
                int alpha = bands % 2 == 0 ? row[x + bands - 1] >> shift : 255;
                rgb[at] = onWhite(red, green, blue, alpha);
            }
        }
        return rgb;
    }

    private static int[] ofColours(BufferedImage image) {
        int width = image.getWidth();
        int[] rgb = image.getRGB(0, 0, width, image.getHeight(), null, 0, width);
        for (int i = 0; i < rgb.length; i++) {
            int argb = rgb[i];
            rgb[i] = onWhite((argb >> 16) & 255, (argb >> 8) & 255, argb & 255, argb >>> 24);
        }
        return rgb;
    }

    private static int onWhite(int red, int green, int blue, int alpha) {
        return (onWhite(red, alpha) << 16) | (onWhite(green, alpha) << 8) | onWhite(blue, alpha);
    }

    /** Composites a sample over white like Pillow's {@code alpha_composite}, in fixed point. */
    private static int onWhite(int value, int alpha) {
        int sum = value * alpha * 128 + 255 * (255 - alpha) * 128 + (128 << 7);
        return (((sum >> 8) + sum) >> 8) >> 7;
    }
}
