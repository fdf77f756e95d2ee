package dev.prpf.mpp.network;

import static org.bytedeco.openblas.global.openblas_nolapack.CblasNoTrans;
import static org.bytedeco.openblas.global.openblas_nolapack.CblasRowMajor;
import static org.bytedeco.openblas.global.openblas_nolapack.CblasTrans;

import org.bytedeco.openblas.global.openblas_nolapack;

/** Products of row-major matrices by the BLAS that ND4J runs on, without copies; one thread each, as {@link Nd4jBackend} sets it. */
final class HostProduct {
    private HostProduct() {}

    /** C = A Bᵀ; A (m, k), B (n, k), C (m, n). */
    static void timesTransposed(HostMatrix a, HostMatrix b, HostMatrix c) {
        int m = a.rows();
        int n = b.rows();
        int k = a.columns();
        check(k == b.columns() && c.rows() == m && c.columns() == n, a, b, c);
        openblas_nolapack.cblas_sgemm(
                CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, a.pointer(), k, b.pointer(), k, 0, c.pointer(), n);
    }

    /** C = A B, or C += A B; A (m, k), B (k, n), C (m, n). */
    static void times(HostMatrix a, HostMatrix b, HostMatrix c, boolean add) {
        int m = a.rows();
        int n = b.columns();
        int k = a.columns();
        check(k == b.rows() && c.rows() == m && c.columns() == n, a, b, c);
        float kept = add ? 1 : 0;
        openblas_nolapack.cblas_sgemm(
                CblasRowMajor,
                CblasNoTrans,
                CblasNoTrans,
                m,
                n,
                k,
                1,
                a.pointer(),
                k,
                b.pointer(),
                n,
                kept,
                c.pointer(),
                n);
    }

    /** C = Aᵀ B, or C += Aᵀ B; A (k, m), B (k, n), C (m, n). */
    static void transposedTimes(HostMatrix a, HostMatrix b, HostMatrix c, boolean add) {
        int m = a.columns();
        int n = b.columns();
        int k = a.rows();
        check(k == b.rows() && c.rows() == m && c.columns() == n, a, b, c);
        float kept = add ? 1 : 0;
        openblas_nolapack.cblas_sgemm(
                CblasRowMajor,
                CblasTrans,
                CblasNoTrans,
                m,
                n,
                k,
                1,
                a.pointer(),
                m,
                b.pointer(),
                n,
                kept,
                c.pointer(),
                n);
    }

    /** BLAS would read and write beyond an array. */
    private static void check(boolean fits, HostMatrix a, HostMatrix b, HostMatrix c) {
        if (!fits) {
            throw new IllegalArgumentException(
                    "factors of " + size(a) + " and " + size(b) + " do not make a product of " + size(c));
        }
    }

    private static String size(HostMatrix matrix) {
        return matrix.rows() + " x " + matrix.columns();
    }
}
