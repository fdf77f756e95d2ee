package dev.prpf.data.match;

import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * How two sets of function names agree (PRPF Appendix B.3): P = |predicted and gold| / |predicted|, R = the same over |gold|, F1 their
 * harmonic mean. Both sets empty: 1; one of them empty: 0.
 *
 * @param precision in [0, 1]
 * @param recall in [0, 1]
 * @param f1 in [0, 1]
 */
public record NameOverlap(double precision, double recall, double f1) implements Serializable {
    /** What a malformed response gets. */
    public static final NameOverlap ZERO = new NameOverlap(0, 0, 0);

    private static final NameOverlap ONE = new NameOverlap(1, 1, 1);

    /** The overlap of two name sequences taken as sets. */
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
        // Of the counts: by way of P and R equal values differ in their last bit, and ties are told by equality.
        return new NameOverlap(precision, recall, 2.0 * both.size() / (predictedSet.size() + goldSet.size()));
    }
}
