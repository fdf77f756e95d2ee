package dev.prpf.base.statistics;

import dev.prpf.base.config.Rule;
import org.apache.commons.math3.stat.inference.AlternativeHypothesis;
import org.apache.commons.math3.stat.inference.BinomialTest;

/**
 * McNemar's exact test (Psychometrika 12, 1947) of two systems that were right or wrong on the same samples: of the samples on which they
 * disagree each is as likely to be right, if they are equally good.
 *
 * @param first samples that the first alone has
 * @param second samples that the second alone has
 * @param p two-sided, in [0, 1]; 1 where they never disagree
 */
public record McNemar(int first, int second, double p) {
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
