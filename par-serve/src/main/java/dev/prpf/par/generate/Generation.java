package dev.prpf.par.generate;

import java.util.Arrays;

/**
 * The continuation of one prompt.
 *
 * @param ids the new tokens, the end token among them
 * @param logProbabilities of each new token under the model itself: the softmax of its logits at temperature 1, nothing cut off
 * @param samplingLogProbabilities of each new token under the distribution it was drawn from: after repetition penalty, constraint,
 *     temperature, top-k, top-p and min-p, the rest adding up to 1; 0 for a token that could be no other, as every greedy one
 * @param policyLogProbabilities of each new token under the distribution before top-k, top-p and min-p cut it: after repetition penalty,
 *     constraint and temperature. What a policy-gradient trainer computes that divides its logits by the temperature, as TRL's does; 0 for
 *     every greedy token
 * @param finish why it ended
 * @param cost what it took; {@link GenerationCost#NONE} where that was not measured
 */
public record Generation(
        long[] ids,
        float[] logProbabilities,
        float[] samplingLogProbabilities,
        float[] policyLogProbabilities,
        FinishReason finish,
        GenerationCost cost) {
    /** Without its cost. */
    public Generation(
            long[] ids,
            float[] logProbabilities,
            float[] samplingLogProbabilities,
            float[] policyLogProbabilities,
            FinishReason finish) {
        this(ids, logProbabilities, samplingLogProbabilities, policyLogProbabilities, finish, GenerationCost.NONE);
    }

    public Generation {
        if (ids.length != logProbabilities.length
                || ids.length != samplingLogProbabilities.length
                || ids.length != policyLogProbabilities.length) {
            throw new IllegalArgumentException(ids.length + " tokens but " + logProbabilities.length + ", "
                    + samplingLogProbabilities.length + " and " + policyLogProbabilities.length + " log-probabilities");
        }
    }

    /** The new tokens without the end token. */
    public long[] withoutEndToken() {
        return ended() ? Arrays.copyOf(ids, ids.length - 1) : ids;
    }

    /** Whether an end token was written. */
    public boolean ended() {
        return finish == FinishReason.END_TOKEN;
    }
}
