package dev.prpf.par.openai;

import dev.prpf.base.config.Rule;

/**
 * The price of a million tokens, in any currency.
 *
 * @param prompt of prompt tokens
 * @param completion of answers' tokens
 */
public record TokenPrice(double prompt, double completion) {
    private static final double MILLION = 1e6;

    public TokenPrice {
        Rule.require(prompt >= 0, "prompt", prompt, "at least 0");
        Rule.require(completion >= 0, "completion", completion, "at least 0");
    }

    /** What this many tokens cost. */
    public double of(long promptTokens, long completionTokens) {
        return (promptTokens * prompt + completionTokens * completion) / MILLION;
    }
}
