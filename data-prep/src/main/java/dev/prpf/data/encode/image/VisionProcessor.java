package dev.prpf.data.encode.image;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.AntialiasedResize.Arithmetic;
import dev.prpf.data.encode.image.AntialiasedResize.Side;
import dev.prpf.data.encode.spec.ImagePreprocessing.Filter;
import dev.prpf.data.encode.spec.VisionPreprocessing;
import dev.prpf.data.encode.spec.VisionPreprocessing.Backend;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The image processor of the Qwen-VL family, identical to transformers 5.23.0. An {@code image_processor_type} that ends in
 * {@code Fast} (Qwen3.5) means the torchvision backend, else it is {@code Qwen2VLImageProcessorPil}. An image is resized as bytes
 * with an antialiased bicubic filter, normalised and split into patches. {@link Pixels} reads images.
 */
public final class VisionProcessor {
    private static final int CHANNELS = 3;

    private final VisionPreprocessing preprocessing;

    /** Creates a processor with these settings. */
    public VisionProcessor(VisionPreprocessing preprocessing) {
        this.preprocessing = preprocessing;
    }

    /**
     * Reads the settings from {@code preprocessor_config.json}.
     *
     * @throws PrpfException 69 if the file does not exist; 65, naming file and key, for an unsupported setting
     */
    public static VisionProcessor read(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new UnavailableException(file + " does not exist; a vision model needs its preprocessor_config.json,"
                    + " copy it from where the model is published");
        }
        return new VisionProcessor(VisionPreprocessing.read(file.toString(), JsonFile.object(file)));
    }

    public VisionPreprocessing preprocessing() {
        return preprocessing;
    }

    /** Returns the id of all settings that affect patches, except the token budget. */
    public String id() {
        return "qwen-vl-"
                + AtomicFiles.sha256(preprocessing.toString().getBytes(StandardCharsets.UTF_8))
                        .substring(0, 16);
    }

    /**
     * Returns the grid of an image's size.
     *
     * @param width in pixels
     * @param height in pixels
     * @param maxTokens token budget of the image; 0 for the processor's own limit
     * @throws PrpfException 65 if one side is more than 200 times the other
     */
    public VisionGrid grid(int width, int height, int maxTokens) {
        return VisionGrid.of(preprocessing, width, height, maxTokens);
    }

    /**
     * Returns an image's patches.
     *
     * @param maxTokens as in {@link #grid}
     * @throws PrpfException as {@link #grid}
     */
    public VisionPatches patches(Pixels image, int maxTokens) {
        return patches(image, grid(image.width(), image.height(), maxTokens));
    }

    /** Returns an image's patches on a grid from {@link #grid}. */
    public VisionPatches patches(Pixels image, VisionGrid grid) {
        byte[] pixels = resized(image, grid); // (rows * P, columns * P, 3)
        float[] values = new float
                [Math.multiplyExact(grid.rows() * grid.columns(), CHANNELS * preprocessing.frames() * square())];
        float[][] normalised = normalised();
        int at = 0;
        int merge = grid.merge();
        for (int row = 0; row < grid.rows(); row += merge) {
            for (int column = 0; column < grid.columns(); column += merge) {
                for (int i = 0; i < merge * merge; i++) {
                    int top = (row + i / merge) * preprocessing.patch();
                    int left = (column + i % merge) * preprocessing.patch();
                    at = patch(pixels, top * width(grid) + left, width(grid), normalised, values, at);
                }
            }
        }
        return new VisionPatches(values, grid.rows(), grid.columns());
    }

    private int square() {
        return preprocessing.patch() * preprocessing.patch();
    }

    private int width(VisionGrid grid) {
        return grid.columns() * preprocessing.patch();
    }

    private byte[] resized(Pixels image, VisionGrid grid) {
        int width = width(grid);
        int height = grid.rows() * preprocessing.patch();
        AntialiasedResize columns = direction(image.width(), width);
        AntialiasedResize rows = direction(image.height(), height);
        boolean rowsFirst = preprocessing.backend() == Backend.PIL
                && PilResize.rowsFirst(image, width, height); // never for torchvision
        return PilResize.resize(image, columns, rows, rowsFirst);
    }

    private AntialiasedResize direction(int from, int to) {
        Arithmetic arithmetic = preprocessing.backend() == Backend.PIL ? Arithmetic.PILLOW : Arithmetic.ATEN;
        return AntialiasedResize.of(Side.whole(from, to), Filter.BICUBIC, arithmetic);
    }

    /** Returns the normalised value of each byte, shape (3, 256): (byte - 255 mean) / (255 std) in float32, as transformers fuses it. */
    private float[][] normalised() {
        float[][] table = new float[CHANNELS][256];
        for (int c = 0; c < CHANNELS; c++) {
            float mean = preprocessing.mean().get(c).floatValue() * 255;
            float std = preprocessing.std().get(c).floatValue() * 255;
            for (int value = 0; value < 256; value++) {
                table[c][value] = (value - mean) / std;
            }
        }
        return table;
    }

    /**
     * Writes a patch, shape (3, T, P, P).
     *
     * @param from its first pixel
     * @param stride pixels from one row to the next
     * @return the start of the next patch
     */
    private int patch(byte[] pixels, int from, int stride, float[][] normalised, float[] values, int start) {
        int at = start;
        int side = preprocessing.patch();
        for (int c = 0; c < CHANNELS; c++) {
            int frame = at;
            for (int y = 0; y < side; y++) {
                int pixel = (from + y * stride) * CHANNELS + c;
                for (int x = 0; x < side; x++, pixel += CHANNELS) {
                    values[at++] = normalised[c][pixels[pixel] & 255];
                }
            }
            for (int t = 1; t < preprocessing.frames(); t++) {
                System.arraycopy(values, frame, values, at, square());
                at += square();
            }
        }
        return at;
    }

    /**
     * The input of a Qwen-VL vision encoder: an image's patches, repeated for each of the T frames that the patch embedding spans.
     *
     * @param values shape (rows * columns, 3 * T * P * P), row-major; must not be changed. Patches are ordered by merged block,
     *     blocks and their patches row by row; a patch's values by channel (red, green, blue), frame, row, column
     * @param rows patches from top to bottom, before merging
     * @param columns patches from left to right, before merging
     */
    public record VisionPatches(float[] values, int rows, int columns) {
        public VisionPatches {
            require(rows > 0, "rows", rows, "positive");
            require(columns > 0, "columns", columns, "positive");
            if (values.length == 0 || values.length % Math.multiplyExact(rows, columns) != 0) {
                throw new IllegalArgumentException(
                        rows + " x " + columns + " patches cannot have " + values.length + " values");
            }
        }

        /** Returns n, the number of patches. */
        public int patches() {
            return rows * columns;
        }

        /** Returns the number of values per patch. */
        public int width() {
            return values.length / patches();
        }
    }

    /**
     * The grid of an image's patches.
     *
     * @param rows patches from top to bottom, before merging
     * @param columns patches from left to right, before merging
     * @param merge side of the square of patches that form one token
     */
    public record VisionGrid(int rows, int columns, int merge) {
        public VisionGrid {
            require(merge > 0, "merge", merge, "positive");
            require(rows > 0 && rows % merge == 0, "rows", rows, "a positive multiple of " + merge);
            require(columns > 0 && columns % merge == 0, "columns", columns, "a positive multiple of " + merge);
        }

        /** Maximum ratio of the longer to the shorter side. */
        private static final int MAX_ASPECT = 200;

        /**
         * Returns the grid of an image after resizing (transformers 5.23, {@code smart_resize}): the nearest multiples of a token's
         * side. Beyond the area limits it is the largest (or smallest) grid within them that keeps the aspect ratio.
         *
         * @param maxTokens lowers the maximum area to a number of tokens, and the minimum if necessary; 0 for no limit. Unlike
         *     transformers' {@code max_pixels}, it also holds for very narrow images.
         * @throws PrpfException 65 if one side is more than 200 times the other
         */
        static VisionGrid of(VisionPreprocessing to, int width, int height, int maxTokens) {
            double aspect = Math.max(width, height) / (double) Math.min(width, height);
            if (aspect > MAX_ASPECT) {
                throw new InvalidDataException(
                        "an image of " + width + " x " + height + " pixels has an aspect ratio of " + Math.round(aspect)
                                + ", at most " + MAX_ASPECT + " can be encoded; crop it or remove the record");
            }
            int factor = to.factor();
            long token = (long) factor * factor;
            long max = maxTokens > 0 ? Math.min(to.maxPixels(), maxTokens * token) : to.maxPixels();
            long min = maxTokens > 0 ? Math.min(to.minPixels(), max) : to.minPixels();
            long tall = (long) Math.rint((double) height / factor); // half to even, as Python rounds
            long wide = (long) Math.rint((double) width / factor);
            double area = (double) height * width;
            boolean tooMany = tall * wide * token > max;
            if (!tooMany && tall * wide * token < min) {
                double grown = Math.sqrt(min / area);
                tall = (long) Math.ceil(height * grown / factor);
                wide = (long) Math.ceil(width * grown / factor);
                tooMany = maxTokens > 0 && tall * wide * token > max;
            }
            if (tooMany) {
                double shrunk = Math.sqrt(area / max);
                tall = (long) Math.max(1, Math.floor(height / shrunk / factor));
                wide = (long) Math.max(1, Math.floor(width / shrunk / factor));
            }
            if (maxTokens > 0) {
                tall = Math.min(tall, maxTokens);
                wide = Math.min(wide, maxTokens / tall);
            }
            return new VisionGrid(Math.toIntExact(tall) * to.merge(), Math.toIntExact(wide) * to.merge(), to.merge());
        }

        /** Returns the merged patches from top to bottom. */
        public int mergedRows() {
            return rows / merge;
        }

        /** Returns the merged patches from left to right. */
        public int mergedColumns() {
            return columns / merge;
        }

        /** Returns the merged patches, which are the image's tokens in a prompt. */
        public int tokens() {
            return mergedRows() * mergedColumns();
        }
    }
}
