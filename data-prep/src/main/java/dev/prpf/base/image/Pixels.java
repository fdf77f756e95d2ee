package dev.prpf.base.image;

import dev.prpf.base.error.PrpfException;
import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/**
 * The pixels of a decoded image.
 *
 * @param rgb 0xRRGGBB, row-major; transparent pixels are blended with white
 */
public record Pixels(int width, int height, int[] rgb) {
    /** An image's width and height in pixels. */
    public record Size(int width, int height) {
        public long pixels() {
            return (long) width * height;
        }
    }

    /**
     * Reads a PNG, JPEG, GIF or BMP file.
     *
     * @throws PrpfException 65, naming the file, if it is missing, and as {@link EncodedImage#pixels}
     */
    public static Pixels read(Path file) {
        return EncodedImage.of(file).pixels();
    }

    /** Reads an image from its bytes, as {@link #read(Path)} does; nothing is written to disk. */
    public static Pixels read(byte[] content) {
        return EncodedImage.of(content).pixels();
    }

    /**
     * Reads the size from a file's header, as {@link #size(byte[])} does.
     *
     * @throws PrpfException 65, naming the file, if it is missing, and as {@link EncodedImage#size}
     */
    public static Size size(Path file) {
        return EncodedImage.of(file).size();
    }

    /**
     * Reads the size from an image's header; the pixels are not decoded.
     *
     * @throws PrpfException 65 as {@link EncodedImage#size}
     */
    public static Size size(byte[] content) {
        return EncodedImage.of(content).size();
    }

    /** Returns the pixels of an image in memory. */
    public static Pixels of(BufferedImage image) {
        return new Pixels(image.getWidth(), image.getHeight(), PixelReader.rgb(image));
    }

    /** Returns an image to draw on. */
    public BufferedImage image() {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        image.setRGB(0, 0, width, height, rgb, 0, width);
        return image;
    }

    /** Returns the bytes of a PNG file. */
    public byte[] png() {
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        try {
            ImageIO.write(image(), "png", png);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return png.toByteArray();
    }

    /** Returns a part of the image as bytes, shape (partHeight, partWidth, 3), red, green, blue. */
    public byte[] bytes(int left, int top, int partWidth, int partHeight) {
        byte[] bytes = new byte[partHeight * partWidth * 3];
        int at = 0;
        for (int y = top; y < top + partHeight; y++) {
            for (int x = left; x < left + partWidth; x++) {
                int pixel = rgb[y * width + x];
                bytes[at++] = (byte) (pixel >> 16);
                bytes[at++] = (byte) (pixel >> 8);
                bytes[at++] = (byte) pixel;
            }
        }
        return bytes;
    }

    /** An axis-aligned rectangle in pixels; edges may be fractional. */
    public record Box(double x, double y, double width, double height) {}

    /**
     * Writes a rectangle, resampled bilinearly, as planes blue, green, red into a (3, H, W) tensor's values.
     *
     * @param source the rectangle to resample
     * @param toWidth W of the resampled rectangle
     * @param toHeight H
     * @param target receives the planes
     * @param stride values from one row to the next in {@code target}, at least {@code toWidth}
     * @param norm scale and shift of each plane
     */
    public void resample(Box source, int toWidth, int toHeight, float[] target, int stride, Normalisation norm) {
        double stepX = source.width() / toWidth;
        double stepY = source.height() / toHeight;
        int plane = stride * toHeight;
        for (int j = 0; j < toHeight; j++) {
            double sy = clamp(source.y() + (j + 0.5) * stepY - 0.5, height - 1);
            int y0 = (int) sy;
            int row0 = y0 * width;
            int row1 = Math.min(y0 + 1, height - 1) * width;
            float fy = (float) (sy - y0);
            for (int i = 0; i < toWidth; i++) {
                double sx = clamp(source.x() + (i + 0.5) * stepX - 0.5, width - 1);
                int x0 = (int) sx;
                int x1 = Math.min(x0 + 1, width - 1);
                float fx = (float) (sx - x0);
                int at = j * stride + i;
                for (int c = 0; c < 3; c++) { // blue, green, red
                    int shift = 8 * c;
                    float top = mix((rgb[row0 + x0] >> shift) & 255, (rgb[row0 + x1] >> shift) & 255, fx);
                    float bottom = mix((rgb[row1 + x0] >> shift) & 255, (rgb[row1 + x1] >> shift) & 255, fx);
                    target[at + c * plane] = mix(top, bottom, fy) * norm.scale()[c] + norm.shift()[c];
                }
            }
        }
    }

    private static double clamp(double v, int max) {
        return Math.max(0, Math.min(max, v));
    }

    private static float mix(float a, float b, float t) {
        return a + (b - a) * t;
    }

    /** Scale and shift of planes (byte * scale + shift) in the order blue, green, red. */
    public record Normalisation(float[] scale, float[] shift) {
        /** Returns the normalisation (byte / 255 - mean) / deviation. */
        public static Normalisation of(double[] mean, double[] deviation) {
            float[] scale = new float[3];
            float[] shift = new float[3];
            for (int c = 0; c < 3; c++) {
                scale[c] = (float) (1 / (255 * deviation[c]));
                shift[c] = (float) (-mean[c] / deviation[c]);
            }
            return new Normalisation(scale, shift);
        }
    }

    /**
     * Reads pixels as Pillow's {@code convert} does: stored samples, the upper byte of 16-bit ones, without the colour profile.
     * Transparent pixels are composited over white (transformers 5.23, {@code convert_to_rgb}).
     */
    static final class PixelReader {
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
}
