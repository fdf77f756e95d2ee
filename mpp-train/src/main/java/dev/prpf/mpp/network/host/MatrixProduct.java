package dev.prpf.mpp.network.host;

import static org.bytedeco.openblas.global.openblas_nolapack.CblasNoTrans;
import static org.bytedeco.openblas.global.openblas_nolapack.CblasRowMajor;
import static org.bytedeco.openblas.global.openblas_nolapack.CblasTrans;
import static org.bytedeco.openblas.global.openblas_nolapack.blas_set_num_threads;
import static org.bytedeco.openblas.global.openblas_nolapack.cblas_sgemm;
import static org.bytedeco.openblas.global.openblas_nolapack.cblas_sgemv;

import java.util.ArrayList;
import java.util.List;

/** Prepared matrix products with ND4J's BLAS, without copies, on the calling thread only. */
final class MatrixProduct {
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
