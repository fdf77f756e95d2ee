package dev.prpf.mpp.ensemble;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.util.List;

/** The rows of a training set, each followed by a 1 for the intercept: shape (n, width + 1). */
sealed interface DesignMatrix {
    /** Columns, without the 1. */
    int width();

    /** Returns the product of each row with the weights, plus the intercept, shape (n). */
    double[] times(double[] point);

    /** Adds each row, including its 1, times its scale to the sum, shape (width + 1). */
    void addTo(double[] sum, double[] scales);

    /** Rows of mostly zeros. */
    record Sparse(List<SparseVector> rows, int width) implements DesignMatrix {
        static Sparse of(List<SparseVector> rows) {
            return new Sparse(
                    rows, rows.stream().mapToInt(SparseVector::width).max().orElse(0));
        }

        @Override
        public double[] times(double[] point) {
            return rows.stream()
                    .mapToDouble(row -> row.dot(point) + point[width])
                    .toArray();
        }

        @Override
        public void addTo(double[] sum, double[] scales) {
            for (int i = 0; i < scales.length; i++) {
                rows.get(i).addTo(sum, scales[i]);
                sum[width] += scales[i];
            }
        }
    }

    /** Rows of equal length, shape (n, width). */
    record Dense(double[][] rows) implements DesignMatrix {
        private static final int TILE = 32;

        /**
         * Checks the rows and wraps them.
         *
         * @throws dev.prpf.base.error.PrpfException 65 if the rows differ in length or have no columns
         */
        static Dense of(double[][] rows) {
            for (int i = 0; i < rows.length; i++) {
                if (rows[i].length != rows[0].length || rows[i].length == 0) {
                    throw new InvalidDataException("classifier: row " + i + " has " + rows[i].length
                            + " columns, must have as many as row 0, " + rows[0].length + ", and at least 1");
                }
            }
            return new Dense(rows);
        }

        @Override
        public int width() {
            return rows[0].length;
        }

        @Override
        public double[] times(double[] point) {
            double[] products = new double[rows.length];
            for (int i = 0; i < products.length; i++) {
                products[i] = dot(rows[i], point) + point[rows[i].length];
            }
            return products;
        }

        /** Returns the dot product over the first's length, in four sums that the processor computes in parallel. */
        static double dot(double[] row, double[] weights) {
            double a = 0;
            double b = 0;
            double c = 0;
            double d = 0;
            int j = 0;
            for (; j + 3 < row.length; j += 4) {
                a += row[j] * weights[j];
                b += row[j + 1] * weights[j + 1];
                c += row[j + 2] * weights[j + 2];
                d += row[j + 3] * weights[j + 3];
            }
            for (; j < row.length; j++) {
                a += row[j] * weights[j];
            }
            return a + b + c + d;
        }

        @Override
        public void addTo(double[] sum, double[] scales) {
            for (int i = 0; i < scales.length; i++) {
                addScaled(sum, scales[i], rows[i], 0);
                sum[rows[i].length] += scales[i];
            }
        }

        /** Adds the entries from index {@code from}; the compiler vectorizes this loop. */
        private static void addScaled(double[] sum, double scale, double[] row, int from) {
            for (int j = from; j < row.length; j++) {
                sum[j] += scale * row[j];
            }
        }

        /** {@code sum_i scale_i x_i x_i'}, shape (width, width), computed in tiles of rows that fit the processor's cache. */
        double[][] moments(double[] scales) {
            double[][] sums = new double[width()][width()];
            for (int from = 0; from < sums.length; from += TILE) {
                for (int i = 0; i < rows.length; i++) {
                    for (int j = from; j < Math.min(from + TILE, sums.length); j++) {
                        if (rows[i][j] != 0) {
                            addScaled(sums[j], scales[i] * rows[i][j], rows[i], j);
                        }
                    }
                }
            }
            for (int j = 0; j < sums.length; j++) {
                for (int k = 0; k < j; k++) {
                    sums[j][k] = sums[k][j];
                }
            }
            return sums;
        }
    }
}
