package dev.prpf.base.image;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.image.Structure.Orientation;
import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;
import org.jspecify.annotations.Nullable;

/** An encoded image in a file or in memory: PNG, JPEG, GIF or BMP. Its size is checked before its pixels are decoded. */
public final class EncodedImage {
    /** Exceeds every phone's screen; a longer image is a mistake and may not fit into memory. */
    private static final int MAX_SIDE = 10_000;
    /** Limits memory to twice four bytes per pixel. */
    private static final long MAX_PIXELS = 40_000_000;
    /** Encoders write about 10 scans into a progressive JPEG. Even a scan of few bytes makes the decoder visit every pixel. */
    private static final int MAX_SCANS = 64;

    private static final long MAX_SCANNED = 400_000_000;

    private final String name;
    private final BytesOpener bytes;
    private final ImageOpener images;
    private final Runnable waiting;

    private interface BytesOpener {
        InputStream open() throws IOException;
    }

    private interface ImageOpener {
        @Nullable
        ImageInputStream open() throws IOException;
    }

    private EncodedImage(String name, BytesOpener bytes, ImageOpener images, Runnable waiting) {
        this.name = name;
        this.bytes = bytes;
        this.images = images;
        this.waiting = waiting;
    }

    /**
     * Returns the image in a file.
     *
     * @throws PrpfException 65, naming the file, if it does not exist
     */
    public static EncodedImage of(Path file) {
        requirePresent(file);
        return new EncodedImage(
                file.toString(),
                () -> Files.newInputStream(file),
                () -> ImageIO.createImageInputStream(file.toFile()),
                () -> {});
    }

    /** Returns an image in memory; nothing is written to disk. */
    public static EncodedImage of(byte[] content) {
        return of(content, () -> {});
    }

    /**
     * Returns an image in memory for a client.
     *
     * @param waiting runs repeatedly during decoding; throws if the client disconnected
     */
    public static EncodedImage of(byte[] content, Runnable waiting) {
        return new EncodedImage(
                nameOf(content),
                () -> new ByteArrayInputStream(content),
                () -> new DecodingTime(content, waiting),
                waiting);
    }

    /** Returns the name of an image in memory for messages. */
    public static String nameOf(byte[] content) {
        return "of " + content.length + " bytes";
    }

    /** Returns the file, or fails with 65 if it does not exist. */
    public static Path requirePresent(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new InvalidDataException("image " + file + " does not exist; check the path and the image root");
        }
        return file;
    }

    /**
     * Reads only the size, after the EXIF rotation; for an image in memory also its structure, such as the scans of a JPEG.
     *
     * @throws PrpfException 65, naming the image, if it is invalid, animated, over 10,000 pixels a side or over 40 million
     *     pixels. In memory, a JPEG may have 64 scans and 400 million pixels in all scans
     */
    public Pixels.Size size() {
        return open(false, (reader, orientation) -> {
            int width = reader.getWidth(0);
            int height = reader.getHeight(0);
            return orientation.swapped() ? new Pixels.Size(height, width) : new Pixels.Size(width, height);
        });
    }

    /**
     * Returns whether EXIF requests no rotation or mirroring; true for an unknown format.
     *
     * @throws PrpfException 65, naming the image, if it cannot be read
     */
    public boolean upright() {
        try (InputStream file = bytes.open()) {
            Structure structure = Structure.of(file, false);
            return structure == null || structure.orientation().equals(Orientation.UPRIGHT);
        } catch (IOException e) {
            throw new InvalidDataException("image " + name + " cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Checks that the image is not truncated, without decoding it.
     *
     * @throws PrpfException 65 as {@link #size}, also if it is truncated
     */
    public void requireWhole() {
        open(true, (reader, orientation) -> name);
    }

    /**
     * Decodes the pixels as {@link Pixels#of} does and applies the EXIF {@link Orientation}.
     *
     * @throws PrpfException 65 as {@link #size}, also if it is truncated, cannot be decoded, is in CMYK or in 16 bits of grey
     */
    public Pixels pixels() {
        return open(true, (reader, orientation) -> orientation.upright(Pixels.of(decoded(reader))));
    }

    /** Reads something from an image with a valid header. */
    private interface Decoder<T> {
        T decode(ImageReader reader, Orientation orientation) throws IOException;
    }

    private <T> T open(boolean whole, Decoder<T> decoder) {
        boolean cut = false;
        try (ImageInputStream in = images.open()) {
            if (in == null) {
                throw new InvalidDataException("image " + name + " cannot be opened");
            }
            Structure structure = structure(whole || in instanceof DecodingTime);
            cut = structure.frames() == 0 || (whole && !structure.ended());
            return decode(in, structure, cut, decoder);
        } catch (PrpfException e) {
            throw e;
        } catch (IOException | RuntimeException e) { // decoders throw more than IOException on a damaged image
            waiting.run(); // rethrows its own failure, which ended the decoding
            String why =
                    cut || e instanceof EOFException ? "the file is truncated, its end is missing" : e.getMessage();
            throw new InvalidDataException(
                    "image " + name + " cannot be decoded: " + why + "; replace or convert it", e);
        }
    }

    private Structure structure(boolean whole) throws IOException {
        try (InputStream file = bytes.open()) {
            Structure structure = Structure.of(file, whole);
            if (structure == null) {
                throw new InvalidDataException("image " + name
                        + " is not an image that can be read (PNG, JPEG, GIF, BMP); convert it or remove the record");
            }
            return structure;
        }
    }

    /** Checks the size of a truncated file, too, so that an excessive size is reported first. */
    private <T> T decode(ImageInputStream in, Structure structure, boolean cut, Decoder<T> decoder) throws IOException {
        requireOneFrame(structure.frames());
        ImageReader reader = ImageIO.getImageReadersByFormatName(
                        structure.format().toString())
                .next();
        try {
            reader.setInput(in, false, true);
            requireSize(reader.getWidth(0), reader.getHeight(0));
            requireFewScans(structure.scans(), (long) reader.getWidth(0) * reader.getHeight(0));
            if (cut) {
                throw new EOFException();
            }
            return decoder.decode(reader, structure.orientation());
        } finally {
            reader.dispose();
        }
    }

    private void requireSize(int width, int height) {
        if (width > MAX_SIDE || height > MAX_SIDE || (long) width * height > MAX_PIXELS) {
            throw new InvalidDataException("image " + name + " is " + width + " x " + height + " pixels, at most "
                    + MAX_SIDE + " a side and " + MAX_PIXELS / 1_000_000
                    + " million in all are read; scale it down or remove the record");
        }
    }

    private void requireFewScans(int scans, long pixels) {
        if (scans > MAX_SCANS || scans * pixels > MAX_SCANNED) {
            throw new InvalidDataException("image " + name + " passes " + scans + " times over its " + pixels
                    + " pixels, at most " + MAX_SCANS + " times and " + MAX_SCANNED / 1_000_000
                    + " million pixels in all are read; save it as a baseline JPEG");
        }
    }

    private void requireOneFrame(int frames) {
        if (frames > 1) {
            throw new InvalidDataException("image " + name + " is animated, it has " + frames
                    + " frames; a screenshot is one: save the frame that is meant as PNG");
        }
    }

    private BufferedImage decoded(ImageReader reader) throws IOException {
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

    /** Returns the path, or the size of an image in memory. */
    @Override
    public String toString() {
        return name;
    }

    /** The supported image formats, recognised by their first bytes. File names and media types are ignored. */
    public enum ImageFormat {
        PNG("\u0089PNG"),
        JPEG("\u00FF\u00D8\u00FF"),
        GIF("GIF8"),
        BMP("BM");

        /** Length of the longest signature in bytes. */
        static final int LONGEST_SIGNATURE = 4;

        /** The signature, one character per byte. */
        private final String signature;

        ImageFormat(String signature) {
            this.signature = signature;
        }

        /** Returns the format of an image's bytes, or null if it is not supported. */
        public static @Nullable ImageFormat of(byte[] bytes) {
            return Arrays.stream(values())
                    .filter(format -> format.begins(bytes))
                    .findFirst()
                    .orElse(null);
        }

        private boolean begins(byte[] bytes) {
            int length = Math.min(bytes.length, signature.length());
            return new String(bytes, 0, length, StandardCharsets.ISO_8859_1).equals(signature);
        }

        /** Returns the media subtype, which is also the file extension. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * An image stream that fails once decoding has used 10 s of the thread's CPU time, or its client has disconnected. An image of an accepted
     * size takes less than a tenth of that. CPU time is measured, so that a busy machine rejects no image.
     */
    static final class DecodingTime extends MemoryCacheImageInputStream {
        private static final long LIMIT = Duration.ofSeconds(10).toNanos();
        private static final long LOOK = Duration.ofMillis(50).toNanos();
        private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

        private final long limit;
        private final Runnable waiting;
        private final long begin = THREADS.getCurrentThreadCpuTime();
        private long looked = -LOOK;

        /** @param waiting runs now and then; throws if the client disconnected */
        DecodingTime(byte[] content, Runnable waiting) {
            this(content, waiting, LIMIT);
        }

        DecodingTime(byte[] content, Runnable waiting, long limit) {
            super(new ByteArrayInputStream(content));
            this.waiting = waiting;
            this.limit = limit;
        }

        private void requireTime() throws IOException {
            long used = THREADS.getCurrentThreadCpuTime() - begin;
            if (used > limit) {
                throw new IOException(
                        "decoding it takes more than " + Duration.ofNanos(limit).toMillis() + " ms");
            }
            if (used - looked < LOOK) {
                return;
            }
            looked = used;
            try {
                waiting.run();
            } catch (RuntimeException e) { // the JDK's decoders expect an IOException
                throw new IOException(e);
            }
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            requireTime();
            return super.read(into, offset, length);
        }
    }
}
