package dev.prpf.data.encode.image;

import java.util.Arrays;

/**
 * One direction of PIL's {@code Image.resize(…, BICUBIC)}, bit for bit: a cubic kernel (a = -0.5) that is widened when it shrinks, with
 * weights of 22 binary digits and bytes between the two directions (Pillow 13, {@code Resample.c}).
 *
 * @param first the first source pixel that counts, for each target pixel
 * @param weights of the source pixels from there on
 */
record PilBicubic(int[] first, int[][] weights) {
    private static final double SUPPORT = 2;
    private static final int PRECISION_BITS = 32 - 8 - 2;
    private static final int HALF = 1 << (PRECISION_BITS - 1);

    /**
     * The weights of a stretch of the target.
     *
     * @param from length of the source
     * @param to length of the whole target
     * @param start first target pixel wanted
     * @param count target pixels wanted
     */
    static PilBicubic of(int from, int to, int start, int count) {
        int[] first = new int[count];
        int[][] weights = new int[count][];
        double scale = (double) from / to;
        double widened = Math.max(scale, 1);
        for (int i = 0; i < count; i++) {
            double center = (start + i + 0.5) * scale;
            int begin = Math.max(0, (int) (center - SUPPORT * widened + 0.5));
            int end = Math.min(from, (int) (center + SUPPORT * widened + 0.5));
            first[i] = begin;
            weights[i] = fixedPoint(begin, end, center, widened);
        }
        return new PilBicubic(first, weights);
    }

    private static int[] fixedPoint(int begin, int end, double center, double widened) {
        double[] exact = new double[end - begin];
        double sum = 0;
        for (int x = 0; x < exact.length; x++) {
            exact[x] = kernel((x + begin - center + 0.5) / widened);
            sum += exact[x];
        }
        int[] fixed = new int[exact.length];
        for (int x = 0; x < fixed.length; x++) {
            double weight = exact[x] / sum * (1 << PRECISION_BITS);
            fixed[x] = (int) (weight < 0 ? weight - 0.5 : weight + 0.5);
        }
        return fixed;
    }

    private static double kernel(double at) {
        double x = Math.abs(at);
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
     * The resampled picture as bytes (rows, columns, 3), red, green, blue.
     *
     * @param rowsFirst the order of the two directions; it shows in the last bits, see {@link #rowsFirst}
     */
    static byte[] resize(Raster picture, PilBicubic columns, PilBicubic rows, boolean rowsFirst) {
        int left = columns.first[0];
        int top = rows.first[0];
        int width = columns.end() - left;
        int height = rows.end() - top;
        byte[] source = picture.bytes(left, top, width, height);
        int targetWidth = columns.first.length;
        return rowsFirst
                ? columns.acrossColumns(rows.acrossRows(source, width, top), width, left)
                : rows.acrossRows(columns.acrossColumns(source, width, left), targetWidth, top);
    }

    /** Pillow's rule: a picture that loses more than twice as many rows as columns is resampled down its columns first. */
    static boolean rowsFirst(int fromWidth, int toWidth, int fromHeight, int toHeight) {
        int lost = fromHeight - toHeight;
        return lost > 0 && lost > (fromWidth - toWidth) * 2;
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
