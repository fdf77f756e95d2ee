package dev.prpf.par.sets;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import dev.prpf.par.prompt.PromptSettings;
import java.io.Serializable;

/**
 * The configuration file {@code configs/data-calls.yaml}.
 *
 * @param prompt format of prompts and responses
 * @param set selection and split of the records
 */
@Defaults("/configs/data-calls.yaml")
public record DataCallsConfig(PromptSettings prompt, CallSetSettings set) implements Serializable {

    /**
     * Settings of sets of function-calling records; the {@code set:} section of {@code configs/data-calls.yaml}.
     *
     * @param maxLength maximum tokens of a prompt; longer ones are omitted and counted
     * @param maxAnswers maximum valid call sequences of a record; records with more are omitted and counted
     * @param testShare minimum share of held-out records, in (0, 0.9]; records that share a function or a request stay together
     * @param seed of the draw of held-out records
     */
    public record CallSetSettings(int maxLength, int maxAnswers, double testShare, long seed) implements Serializable {
        public CallSetSettings {
            Rule.require(maxLength > 0, "max-length", maxLength, "at least 1");
            Rule.require(maxAnswers > 0, "max-answers", maxAnswers, "at least 1");
            Rule.require(testShare > 0 && testShare <= 0.9, "test-share", testShare, "in (0, 0.9]");
        }
    }
}
