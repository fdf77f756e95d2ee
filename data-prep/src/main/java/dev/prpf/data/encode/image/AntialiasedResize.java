package dev.prpf.data.encode.image;

import dev.prpf.data.encode.spec.ImagePreprocessing.Filter;
import java.util.Arrays;

/**
 * Resizes an image in one direction with antialiasing, in fixed point, bit-identical to Pillow or PyTorch. Shrinking widens the
 * kernel; pixels are bytes between the two directions.
 *
 * @param first first source pixel of each target pixel
 * @param weights weights of the source pixels from there on, in units of 2^-precision
 * @param precision fractional bits of the weights
 */
record AntialiasedResize(int[] first, int[][] weights, int precision) {
    /** The rule for the fractional bits of weights. */
    enum Arithmetic {
        /** Always 22 bits (Pillow 13, {@code Resample.c}). */
        PILLOW {
            @Override
            int precision(double[][] weights) {
                return 32 - 8 - 2;
            }
        },
        /**
         * The most bits that keep the largest weight within 16 bits, at most 22. Torchvision resizes bytes this way (ATen 2.13,
         * {@code UpSampleKernel.cpp}, {@code compute_index_ranges_int16_weights}).
         */
        ATEN {
            @Override
            int precision(double[][] weights) {
                double largest = Arrays.stream(weights)
                        .flatMapToDouble(Arrays::stream)
                        .max()
                        .orElse(0);
                int precision = 0;
                while (precision < 22 && (int) (0.5 + largest * (1 << (precision + 1))) < 1 << 15) {
                    precision++;
                }
                return precision;
            }
        };

        abstract int precision(double[][] weights);
    }

    /**
     * The lengths of a side before and after, and the part of the target to compute.
     *
     * @param start first target pixel to compute
     */
    record Side(int from, int to, int start, int count) {
        static Side whole(int from, int to) {
            return new Side(from, to, 0, to);
        }
    }

    static AntialiasedResize of(Side side, Filter filter, Arithmetic arithmetic) {
        int[] first = new int[side.count()];
        double[][] exact = new double[side.count()][];
        double scale = (double) side.from() / side.to();
        double inverse = scale >= 1 ? 1 / scale : 1;
        double support = (filter == Filter.BICUBIC ? 2 : 1) * Math.max(scale, 1);
        for (int i = 0; i < side.count(); i++) {
            double center = (side.start() + i + 0.5) * scale;
            int begin = Math.max(0, (int) (center - support + 0.5));
            int end = Math.min(side.from(), (int) (center + support + 0.5));
            first[i] = begin;
            exact[i] = new double[end - begin];
            for (int x = 0; x < exact[i].length; x++) {
                exact[i][x] = kernel(filter, Math.abs((x + begin - center + 0.5) * inverse));
            }
            normalise(exact[i]);
        }
        return fixedPoint(first, exact, arithmetic.precision(exact));
    }

    private static void normalise(double[] weights) {
        double sum = 0;
        for (double weight : weights) {
            sum += weight;
        }
        for (int x = 0; x < weights.length; x++) {
            weights[x] /= sum;
        }
    }

    private static AntialiasedResize fixedPoint(int[] first, double[][] exact, int precision) {
        int[][] weights = new int[exact.length][];
        for (int i = 0; i < exact.length; i++) {
            weights[i] = new int[exact[i].length];
            for (int x = 0; x < weights[i].length; x++) {
                double weight = exact[i][x] * (1 << precision);
                weights[i][x] = (int) (weight < 0 ? weight - 0.5 : weight + 0.5);
            }
        }
        return new AntialiasedResize(first, weights, precision);
    }

    /** Returns the kernel at x >= 0; the cubic kernel has a = -0.5. */
    private static double kernel(Filter filter, double x) {
        if (filter == Filter.BILINEAR) {
            return Math.max(0, 1 - x);
        }
        double a = -0.5;
        if (x < 1) {
            return ((a + 2) * x - (a + 3)) * x * x + 1;
        }
        return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
    }

    /** Returns the first source pixel used. */
    int begin() {
        return first[0];
    }

    /** Returns the last source pixel used, plus one. */
    int end() {
        int last = first.length - 1;
        return first[last] + weights[last].length;
    }

    /** Returns the number of target pixels. */
    int count() {
        return first.length;
    }

    /**
     * Resizes rows to the target's width.
     *
     * @param source shape (any, width, 3)
     * @param left first source column in {@code source}
     */
    byte[] acrossColumns(byte[] source, int width, int left) {
        int height = source.length / (3 * width);
        byte[] out = new byte[height * first.length * 3];
        int half = half();
        int target = 0;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < first.length; x++) {
                int red = half;
                int green = half;
                int blue = half;
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
     * Resizes columns to the target's height.
     *
     * @param source shape (any, width, 3)
     * @param top first source row in {@code source}
     */
    byte[] acrossRows(byte[] source, int width, int top) {
        int stride = width * 3;
        byte[] out = new byte[first.length * stride];
        int[] sums = new int[stride];
        for (int y = 0; y < first.length; y++) {
            Arrays.fill(sums, half());
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

    private int half() {
        return 1 << (precision - 1);
    }

    private byte clip(int sum) {
        return (byte) Math.max(0, Math.min(255, sum >> precision));
    }
}
