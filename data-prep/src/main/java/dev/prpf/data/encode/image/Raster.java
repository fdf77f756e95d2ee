package dev.prpf.data.encode.image;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;
import org.jspecify.annotations.Nullable;

/**
 * An image's pixels.
 *
 * @param width in pixels
 * @param height in pixels
 * @param rgb 0xRRGGBB, row-major; transparent pixels lie on white
 */
public record Raster(int width, int height, int[] rgb) {
    /** No phone's screen is longer; a longer image is a mistake that would not fit into memory. */
    static final int MAX_SIDE = 10_000;
    /** Four bytes a pixel, twice. */
    static final long MAX_PIXELS = 40_000_000;

    /**
     * Reads a PNG, JPEG, GIF or BMP file, as {@link PixelReader} says; its size is checked before its pixels are decoded.
     *
     * @throws PrpfException 65, naming the file, if it is missing, not an image, animated, in CMYK, in 16 bits of grey, or beyond {@link
     *     #MAX_SIDE} or {@link #MAX_PIXELS}
     */
    public static Raster read(Path file) {
        return open(inFile(file), reader -> of(pixels(file.toString(), reader)));
    }

    /** As {@link #read(Path)}, of an image's bytes; nothing of them is written to a disk. */
    public static Raster read(byte[] content) {
        return open(inMemory(content), reader -> of(pixels(nameOf(content), reader)));
    }

    /** An image's width and height in pixels. */
    public record Size(int width, int height) {
        public long pixels() {
            return (long) width * height;
        }
    }

    /**
     * As {@link #size(byte[])}, of a file.
     *
     * @throws PrpfException 65 as {@link #read(Path)}
     */
    public static Size size(Path file) {
        return open(inFile(file), reader -> new Size(reader.getWidth(0), reader.getHeight(0)));
    }

    /**
     * The size that an image's header tells; its pixels are not decoded.
     *
     * @throws PrpfException 65 as {@link #read(Path)}
     */
    public static Size size(byte[] content) {
        return open(inMemory(content), reader -> new Size(reader.getWidth(0), reader.getHeight(0)));
    }

    /** How messages name an image in memory. */
    static String nameOf(byte[] content) {
        return "of " + content.length + " bytes";
    }

    /**
     * Makes sure, by its header alone, that a file can be read.
     *
     * @throws PrpfException as {@link #read}
     */
    public static void requireReadable(Path file) {
        open(inFile(file), reader -> file);
    }

    /** Where an image comes from, and its name in messages. */
    private record Source(String name, Opener opener) {}

    private interface Opener {
        @Nullable
        ImageInputStream open() throws IOException;
    }

    private static Source inFile(Path file) {
        requirePresent(file);
        return new Source(file.toString(), () -> ImageIO.createImageInputStream(file.toFile()));
    }

    private static Source inMemory(byte[] content) {
        return new Source(nameOf(content), () -> new MemoryCacheImageInputStream(new ByteArrayInputStream(content)));
    }

    /** Takes what it wants of an image whose header is sound. */
    private interface Decoder<T> {
        T decode(ImageReader reader) throws IOException;
    }

    private static <T> T open(Source source, Decoder<T> decoder) {
        String name = source.name();
        try (ImageInputStream in = source.opener().open()) {
            if (in == null) {
                throw new InvalidDataException("image " + name + " cannot be opened");
            }
            Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
            if (!readers.hasNext()) {
                throw new InvalidDataException("image " + name
                        + " is not an image that can be read (PNG, JPEG, GIF, BMP); convert it or remove the record");
            }
            return decode(name, in, readers.next(), decoder);
        } catch (PrpfException e) {
            throw e;
        } catch (IOException | RuntimeException e) { // what a damaged image brings the decoders to is not only I/O
            throw new InvalidDataException(
                    "image " + name + " cannot be decoded: " + e.getMessage() + "; replace or convert it", e);
        }
    }

    /** The file itself; 65 if there is none. */
    public static Path requirePresent(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new InvalidDataException("image " + file + " does not exist; check the path and the image root");
        }
        return file;
    }

    private static <T> T decode(String name, ImageInputStream in, ImageReader reader, Decoder<T> decoder)
            throws IOException {
        try {
            requireOneFrame(name, FrameCount.ofPng(reader, in));
            reader.setInput(in, false, true);
            requireSize(name, reader.getWidth(0), reader.getHeight(0));
            requireOneFrame(name, FrameCount.ofGif(reader));
            return decoder.decode(reader);
        } finally {
            reader.dispose();
        }
    }

    private static void requireSize(String name, int width, int height) {
        if (width > MAX_SIDE || height > MAX_SIDE || (long) width * height > MAX_PIXELS) {
            throw new InvalidDataException("image " + name + " is " + width + " x " + height + " pixels, at most "
                    + MAX_SIDE + " a side and " + MAX_PIXELS / 1_000_000
                    + " million in all are read; scale it down or remove the record");
        }
    }

    private static void requireOneFrame(String name, int frames) {
        if (frames != 1) {
            throw new InvalidDataException("image " + name + " is animated, it has " + frames
                    + " frames; a screenshot is one: save the frame that is meant as PNG");
        }
    }

    private static BufferedImage pixels(String name, ImageReader reader) throws IOException {
        Iterator<ImageTypeSpecifier> types = reader.getImageTypes(0);
        ColorModel model = types.hasNext() ? types.next().getColorModel() : null;
        if (model == null || model.getNumColorComponents() == 4) {
            throw new InvalidDataException("image " + name
                    + " is neither grey nor red, green and blue (a JPEG for print, in CMYK); convert it to RGB");
        }
        if (model.getNumColorComponents() == 1 && model.getComponentSize(0) > 8) {
            throw new InvalidDataException("image " + name + " is grey in " + model.getComponentSize(0)
                    + " bits, of which image processors read all but the darkest as white; convert it to 8 bits");
        }
        return reader.read(0);
    }

    /** The pixels of an image in memory. */
    public static Raster of(BufferedImage image) {
        return new Raster(image.getWidth(), image.getHeight(), PixelReader.rgb(image));
    }

    /** A part of the image as bytes, shape (partHeight, partWidth, 3), red, green, blue. */
    byte[] bytes(int left, int top, int partWidth, int partHeight) {
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

    /** An axis-aligned rectangle of pixels, which may reach half a pixel between two. */
    public record Box(double x, double y, double width, double height) {}

    /**
     * Writes a rectangle, resampled bilinearly, as planes blue, green, red into a (3, H, W) tensor's values.
     *
     * @param source what to take
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

    /** Value of a plane = byte * scale + shift; planes in the order blue, green, red. */
    public record Normalisation(float[] scale, float[] shift) {
        /** (byte / 255 - mean) / deviation. */
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
}
