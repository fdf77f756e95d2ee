package dev.prpf.eval.compare;

import dev.prpf.base.config.Rule;
import org.apache.commons.math3.stat.inference.AlternativeHypothesis;
import org.apache.commons.math3.stat.inference.BinomialTest;

/**
 * McNemar's exact test (Psychometrika 12, 1947) of two systems on the same samples. Null hypothesis: where they disagree, each is
 * right with probability one half.
 *
 * @param first number of samples that only the first system has right
 * @param second number of samples that only the second system has right
 * @param p two-sided p-value, in [0, 1]; 1 if the systems never disagree
 */
record McNemar(int first, int second, double p) {
    public static McNemar of(int first, int second) {
        Rule.require(first >= 0, "first", first, "0 or more");
        Rule.require(second >= 0, "second", second, "0 or more");
        int disagreements = Math.addExact(first, second);
        double p = disagreements == 0
                ? 1
                : new BinomialTest().binomialTest(disagreements, first, 0.5, AlternativeHypothesis.TWO_SIDED);
        return new McNemar(first, second, Math.min(1, p));
    }
}
