package dev.prpf.par.openai;

/**
 * Of a million tokens, in whatever money.
 *
 * @param prompt of prompts
 * @param completion of answers
 */
public record TokenPrice(double prompt, double completion) {
    private static final double MILLION = 1e6;

    public TokenPrice {
        if (!(prompt >= 0 && completion >= 0)) {
            throw new IllegalArgumentException(
                    "price = " + prompt + " and " + completion + ", must be at least 0 each");
        }
    }

    /** Of so many tokens. */
    public double of(long promptTokens, long completionTokens) {
        return (promptTokens * prompt + completionTokens * completion) / MILLION;
    }
}
