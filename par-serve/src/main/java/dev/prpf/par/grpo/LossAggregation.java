package dev.prpf.par.grpo;

/** How the losses of tokens become one number; TRL's and verl's names beside ours. */
public enum LossAggregation {
    /** Mean over a response's tokens, then over responses: TRL {@code grpo}, verl {@code seq-mean-token-mean}. */
    SEQUENCE_MEAN,
    /** Mean over all tokens of the optimizer step: TRL {@code dapo}, verl {@code token-mean}. */
    TOKEN_MEAN,
    /** Sum over tokens, over responses times the longest length allowed: TRL {@code dr_grpo}. */
    FIXED_LENGTH;

    /**
     * What the sum over a whole optimizer step is divided by; each of its batches is divided by the same number.
     *
     * @param responses of the whole optimizer step
     * @param tokens that count, of the whole optimizer step
     * @param maxLength tokens that a response may have
     */
    public double divisor(long responses, long tokens, int maxLength) {
        return switch (this) {
            case SEQUENCE_MEAN -> responses;
            case TOKEN_MEAN -> Math.max(1, tokens);
            case FIXED_LENGTH -> (double) responses * maxLength;
        };
    }
}
