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
        multiply(new Factor(a, false), new Factor(b, true), c, false);
    }

    /** C = A B, or C += A B; A (m, k), B (k, n), C (m, n). */
    static void times(HostMatrix a, HostMatrix b, HostMatrix c, boolean add) {
        multiply(new Factor(a, false), new Factor(b, false), c, add);
    }

    /** C = Aᵀ B, or C += Aᵀ B; A (k, m), B (k, n), C (m, n). */
    static void transposedTimes(HostMatrix a, HostMatrix b, HostMatrix c, boolean add) {
        multiply(new Factor(a, true), new Factor(b, false), c, add);
    }

    private static void multiply(Factor a, Factor b, HostMatrix c, boolean add) {
        int m = a.rows();
        int n = b.columns();
        int k = a.columns();
        check(k == b.rows() && c.rows() == m && c.columns() == n, a.stored, b.stored, c);
        openblas_nolapack.cblas_sgemm(
                CblasRowMajor,
                a.operation(),
                b.operation(),
                m,
                n,
                k,
                1,
                a.stored.pointer(),
                a.stored.columns(),
                b.stored.pointer(),
                b.stored.columns(),
                add ? 1 : 0,
                c.pointer(),
                n);
    }

    /** A matrix as it lies, or its transpose. */
    private record Factor(HostMatrix stored, boolean transposed) {
        int rows() {
            return transposed ? stored.columns() : stored.rows();
        }

        int columns() {
            return transposed ? stored.rows() : stored.columns();
        }

        int operation() {
            return transposed ? CblasTrans : CblasNoTrans;
        }
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
