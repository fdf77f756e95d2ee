package dev.prpf.data.encode.image;

import dev.prpf.data.encode.spec.ImagePreprocessing;
import java.util.Arrays;

/**
 * One direction of PIL's {@code Image.resize}, bit for bit: a kernel that is widened when it shrinks, with weights of 22 binary digits
 * and bytes between the two directions (Pillow 13, {@code Resample.c}).
 *
 * @param first the first source pixel that counts, for each target pixel
 * @param weights of the source pixels from there on
 */
record PilResize(int[] first, int[][] weights) {
    private static final int PRECISION_BITS = 32 - 8 - 2;
    private static final int HALF = 1 << (PRECISION_BITS - 1);

    /** Writes an image's planes red, green, blue, as a tower sees them, shape (3, S, S), from {@code offset} on. */
    static void write(Raster image, ImagePreprocessing to, float[] target, int offset) {
        int side = to.side();
        int width = resized(image.width(), image.height(), to);
        int height = resized(image.height(), image.width(), to);
        PilResize columns = of(image.width(), width, (width - side) / 2, to);
        PilResize rows = of(image.height(), height, (height - side) / 2, to);
        // Pillow's rule: an image that loses more than twice as many rows as columns is resampled down its columns
        // first.
        int lost = image.height() - height;
        byte[] square = resize(image, columns, rows, lost > 0 && lost > (image.width() - width) * 2); // (S, S, 3)
        int plane = side * side;
        for (int c = 0; c < 3; c++) {
            for (int at = 0; at < plane; at++) {
                double value = (square[at * 3 + c] & 255) / 255.0;
                target[offset + c * plane + at] =
                        (float) ((value - to.mean().get(c)) / to.std().get(c));
            }
        }
    }

    private static int resized(int length, int other, ImagePreprocessing to) {
        return to.keepsAspect() && length > other ? (int) (to.edge() * length / (double) other) : to.edge();
    }

    /** The weights of the part that is cut out, {@code start} pixels into a target of {@code to} pixels. */
    private static PilResize of(int from, int to, int start, ImagePreprocessing preprocessing) {
        int count = preprocessing.side();
        boolean bicubic = preprocessing.filter() == ImagePreprocessing.Filter.BICUBIC;
        int[] first = new int[count];
        int[][] weights = new int[count][];
        double scale = (double) from / to;
        double widened = Math.max(scale, 1);
        double support = (bicubic ? 2 : 1) * widened;
        for (int i = 0; i < count; i++) {
            double center = (start + i + 0.5) * scale;
            int begin = Math.max(0, (int) (center - support + 0.5));
            int end = Math.min(from, (int) (center + support + 0.5));
            first[i] = begin;
            double[] exact = new double[end - begin];
            for (int x = 0; x < exact.length; x++) {
                double at = Math.abs((x + begin - center + 0.5) / widened);
                exact[x] = bicubic ? cubic(at) : Math.max(0, 1 - at);
            }
            weights[i] = fixedPoint(exact);
        }
        return new PilResize(first, weights);
    }

    private static int[] fixedPoint(double[] exact) {
        double sum = 0;
        for (double weight : exact) {
            sum += weight;
        }
        int[] fixed = new int[exact.length];
        for (int x = 0; x < fixed.length; x++) {
            double weight = exact[x] / sum * (1 << PRECISION_BITS);
            fixed[x] = (int) (weight < 0 ? weight - 0.5 : weight + 0.5);
        }
        return fixed;
    }

    /** The cubic kernel with a = -0.5, at x >= 0. */
    private static double cubic(double x) {
        double a = -0.5;
        if (x < 1) {
            return ((a + 2) * x - (a + 3)) * x * x + 1;
        }
        return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
    }

    /** One past the last source pixel that counts. */
    private int end() {
        int last = first.length - 1;
        return first[last] + weights[last].length;
    }

    /**
     * The resampled image as bytes (rows, columns, 3), red, green, blue.
     *
     * @param rowsFirst the order of the two directions; it shows in the last bits
     */
    private static byte[] resize(Raster image, PilResize columns, PilResize rows, boolean rowsFirst) {
        int left = columns.first[0];
        int top = rows.first[0];
        int width = columns.end() - left;
        int height = rows.end() - top;
        byte[] source = image.bytes(left, top, width, height);
        int targetWidth = columns.first.length;
        return rowsFirst
                ? columns.acrossColumns(rows.acrossRows(source, width, top), width, left)
                : rows.acrossRows(columns.acrossColumns(source, width, left), targetWidth, top);
    }

    /**
     * Rows become as long as the target's.
     *
     * @param source shape (any, width, 3)
     * @param left source column that {@code source} begins with
     */
    private byte[] acrossColumns(byte[] source, int width, int left) {
        int height = source.length / (3 * width);
        byte[] out = new byte[height * first.length * 3];
        int target = 0;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < first.length; x++) {
                int red = HALF;
                int green = HALF;
                int blue = HALF;
                int at = (y * width + first[x] - left) * 3;
                for (int weight : weights[x]) {
                    red += (source[at++] & 255) * weight;
                    green += (source[at++] & 255) * weight;
                    blue += (source[at++] & 255) * weight;
                }
                out[target++] = clip(red);
                out[target++] = clip(green);
                out[target++] = clip(blue);
            }
        }
        return out;
    }

    /**
     * Columns become as long as the target's.
     *
     * @param source shape (any, width, 3)
     * @param top source row that {@code source} begins with
     */
    private byte[] acrossRows(byte[] source, int width, int top) {
        int stride = width * 3;
        byte[] out = new byte[first.length * stride];
        int[] sums = new int[stride];
        for (int y = 0; y < first.length; y++) {
            Arrays.fill(sums, HALF);
            int at = (first[y] - top) * stride;
            for (int weight : weights[y]) {
                for (int x = 0; x < stride; x++) {
                    sums[x] += (source[at++] & 255) * weight;
                }
            }
            for (int x = 0; x < stride; x++) {
                out[y * stride + x] = clip(sums[x]);
            }
        }
        return out;
    }

    private static byte clip(int sum) {
        return (byte) Math.max(0, Math.min(255, sum >> PRECISION_BITS));
    }
}
