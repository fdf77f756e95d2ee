package dev.prpf.mpp.network.host;

import static org.bytedeco.openblas.global.openblas_nolapack.CblasNoTrans;
import static org.bytedeco.openblas.global.openblas_nolapack.CblasRowMajor;
import static org.bytedeco.openblas.global.openblas_nolapack.CblasTrans;
import static org.bytedeco.openblas.global.openblas_nolapack.blas_set_num_threads;
import static org.bytedeco.openblas.global.openblas_nolapack.cblas_sgemm;
import static org.bytedeco.openblas.global.openblas_nolapack.cblas_sgemv;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A linear layer on rows, with or without ReLU: y = x Wᵀ + b, W (out, in). */
record Linear(Value x, Value weight, Value bias, Value y, boolean relu) {
    /** Least number of columns of a part; smaller products gain little from a second thread. */
    private static final int LEAST_COLUMNS = 64;

    static Value append(Tape tape, Value x, Value weight, Value bias, boolean relu) {
        int outputs = weight.matrix().rows();
        Linear linear = new Linear(x, weight, bias, tape.value(x.matrix().rows(), outputs), relu);
        tape.forward(tape.parts(outputs, LEAST_COLUMNS, linear::forward), linear.y, List.of(x));
        tape.later(() -> linear.appendBackward(tape));
        return linear.y;
    }

    private Runnable forward(int from, int to) {
        Matrix part = y.matrix().columns(from, to);
        Runnable product =
                MatrixProduct.timesTransposed(x.matrix(), weight.matrix().rows(from, to), part);
        float[] biases = new float[to - from];
        float[] row = new float[to - from];
        return () -> {
            product.run();
            bias.matrix().read(0, from, biases);
            for (int i = 0; i < part.rows(); i++) {
                part.read(i, row);
                if (relu) {
                    addAndCut(biases, row);
                } else {
                    RowMath.add(biases, row);
                }
                part.write(i, row);
            }
        };
    }

    private static void addAndCut(float[] addend, float[] target) {
        for (int i = 0; i < target.length; i++) {
            target[i] = Math.max(target[i] + addend[i], 0);
        }
    }

    private void appendBackward(Tape tape) {
        Matrix gradient = y.gradient();
        int outputs = gradient.columns();
        boolean biasAdds = bias.contribute();
        List<Runnable> parts = tape.parts(outputs, LEAST_COLUMNS, (from, to) -> bias(from, to, biasAdds));
        tape.backward(parts, List.of(gradient), relu ? List.of(bias.gradient(), gradient) : List.of(bias.gradient()));
        if (x.wantsGradient()) {
            boolean adds = x.contribute();
            Step.Work work = (from, to) -> MatrixProduct.times(
                    gradient, weight.matrix().columns(from, to), x.gradient().columns(from, to), adds);
            tape.backward(
                    tape.parts(x.matrix().columns(), LEAST_COLUMNS, work), List.of(gradient), List.of(x.gradient()));
        }
        boolean adds = weight.contribute();
        Step.Work work = (from, to) -> MatrixProduct.transposedTimes(
                gradient.columns(from, to), x.matrix(), weight.gradient().rows(from, to), adds);
        tape.backward(tape.parts(outputs, LEAST_COLUMNS, work), List.of(gradient), List.of(weight.gradient()));
    }

    /** Sums the gradient over rows, after setting it to 0 in place where ReLU's output is 0, before the products read it. */
    private Runnable bias(int from, int to, boolean adds) {
        Matrix gradient = y.gradient().columns(from, to);
        Matrix outputs = y.matrix().columns(from, to);
        float[] row = new float[to - from];
        float[] output = new float[to - from];
        float[] sum = new float[to - from];
        return () -> {
            Arrays.fill(sum, 0);
            for (int i = 0; i < gradient.rows(); i++) {
                gradient.read(i, row);
                if (relu) {
                    outputs.read(i, output);
                    cut(row, output);
                    gradient.write(i, row);
                }
                RowMath.add(row, sum);
            }
            bias.gradient().columns(from, to).write(0, sum, adds, row);
        };
    }

    /** Zeroes the gradient where ReLU's output is 0; without a comparison, which would prevent vectorization. */
    private static void cut(float[] gradient, float[] output) {
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] *= Math.min(output[i] * Float.MAX_VALUE * Float.MAX_VALUE, 1);
        }
    }

    /** Prepared matrix products with ND4J's BLAS, without copies, on the calling thread only. */
    static final class MatrixProduct {
        /** OpenBLAS repacks a product's factors; up to this number of rows, one matrix-vector product per row is faster. */
        private static final int FEW_ROWS = 8;

        static {
            blas_set_num_threads(1);
        }

        private MatrixProduct() {}

        /** C = A Bᵀ; A (m, k), B (n, k), C (m, n). */
        static Runnable timesTransposed(Matrix a, Matrix b, Matrix c) {
            check(a.columns() == b.columns() && c.rows() == a.rows() && c.columns() == b.rows(), a, b, c);
            return a.rows() <= FEW_ROWS ? rowByRow(a, b, c) : product(a, CblasNoTrans, b, CblasTrans, c, false);
        }

        /** C = A B, or C += A B; A (m, k), B (k, n), C (m, n). */
        static Runnable times(Matrix a, Matrix b, Matrix c, boolean add) {
            check(a.columns() == b.rows() && c.rows() == a.rows() && c.columns() == b.columns(), a, b, c);
            return product(a, CblasNoTrans, b, CblasNoTrans, c, add);
        }

        /** C = Aᵀ B, or C += Aᵀ B; A (k, m), B (k, n), C (m, n). */
        static Runnable transposedTimes(Matrix a, Matrix b, Matrix c, boolean add) {
            check(a.rows() == b.rows() && c.rows() == a.columns() && c.columns() == b.columns(), a, b, c);
            return product(a, CblasTrans, b, CblasNoTrans, c, add);
        }

        private static Runnable product(Matrix a, int transposeA, Matrix b, int transposeB, Matrix c, boolean add) {
            int k = transposeA == CblasTrans ? a.rows() : a.columns();
            return () -> cblas_sgemm(
                    CblasRowMajor,
                    transposeA,
                    transposeB,
                    c.rows(),
                    c.columns(),
                    k,
                    1,
                    a.pointer(),
                    a.stride(),
                    b.pointer(),
                    b.stride(),
                    add ? 1 : 0,
                    c.pointer(),
                    c.stride());
        }

        private static Runnable rowByRow(Matrix a, Matrix b, Matrix c) {
            List<Matrix> from = new ArrayList<>();
            List<Matrix> into = new ArrayList<>();
            for (int row = 0; row < a.rows(); row++) {
                from.add(a.rows(row, row + 1));
                into.add(c.rows(row, row + 1));
            }
            return () -> {
                for (int row = 0; row < from.size(); row++) {
                    cblas_sgemv(
                            CblasRowMajor,
                            CblasNoTrans,
                            b.rows(),
                            b.columns(),
                            1,
                            b.pointer(),
                            b.stride(),
                            from.get(row).pointer(),
                            1,
                            0,
                            into.get(row).pointer(),
                            1);
                }
            };
        }

        /** Checks the shapes, since BLAS would read and write out of bounds. */
        private static void check(boolean fits, Matrix a, Matrix b, Matrix c) {
            if (!fits) {
                throw new IllegalArgumentException("factors of " + a + " and " + b + " do not make a product of " + c);
            }
        }
    }
}
