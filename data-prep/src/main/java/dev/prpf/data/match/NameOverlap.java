package dev.prpf.data.match;

import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The overlap of two sets of function names (PRPF Appendix B.3): P = |predicted and gold| / |predicted|, R = |predicted and gold|
 * / |gold|, F1 their harmonic mean. Two empty sets give 1, one empty set gives 0.
 *
 * @param precision in [0, 1]
 * @param recall in [0, 1]
 * @param f1 in [0, 1]
 */
public record NameOverlap(double precision, double recall, double f1) implements Serializable {
    /** The overlap of a malformed response. */
    public static final NameOverlap ZERO = new NameOverlap(0, 0, 0);

    private static final NameOverlap ONE = new NameOverlap(1, 1, 1);

    /** Returns the overlap of two name sequences as sets. */
    public static NameOverlap of(List<String> predicted, List<String> gold) {
        Set<String> predictedSet = new HashSet<>(predicted);
        Set<String> goldSet = new HashSet<>(gold);
        if (predictedSet.isEmpty() && goldSet.isEmpty()) {
            return ONE;
        }
        Set<String> both = new HashSet<>(predictedSet);
        both.retainAll(goldSet);
        if (both.isEmpty()) {
            return ZERO;
        }
        double precision = (double) both.size() / predictedSet.size();
        double recall = (double) both.size() / goldSet.size();
        // From counts, because F1 of P and R may differ in the last bit, and ties need equality.
        return new NameOverlap(precision, recall, 2.0 * both.size() / (predictedSet.size() + goldSet.size()));
    }
}
