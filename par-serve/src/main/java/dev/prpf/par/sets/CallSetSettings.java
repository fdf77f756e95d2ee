package dev.prpf.par.sets;

import dev.prpf.base.config.Rule;
import java.io.Serializable;

/**
 * How sets are made of function-calling records; the {@code set:} section of {@code configs/data-calls.yaml}.
 *
 * @param maxLength tokens a prompt may have; longer ones are left out and counted
 * @param maxAnswers call sequences that may be right for one record; records of more are left out and counted
 * @param testShare of the records, held out at least, in (0, 0.9]; records that share a function or a request stay together
 * @param seed of the draw of those held out
 */
public record CallSetSettings(int maxLength, int maxAnswers, double testShare, long seed) implements Serializable {
    public CallSetSettings {
        Rule.require(maxLength > 0, "max-length", maxLength, "at least 1");
        Rule.require(maxAnswers > 0, "max-answers", maxAnswers, "at least 1");
        Rule.require(testShare > 0 && testShare <= 0.9, "test-share", testShare, "in (0, 0.9]");
    }
}
