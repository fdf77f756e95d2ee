package dev.prpf.par.model;

/**
 * The continuation of one prompt.
 *
 * @param ids the new tokens, the end token among them
 * @param logProbabilities of each new token under the model itself: the softmax of its logits at temperature 1, nothing cut off
 * @param samplingLogProbabilities of each new token under the distribution it was drawn from: after repetition penalty, constraint,
 *     temperature, top-k, top-p and min-p, the rest adding up to 1; 0 for a token that could be no other, as every greedy one
 * @param finish why it ended
 */
public record Generation(long[] ids, float[] logProbabilities, float[] samplingLogProbabilities, Finish finish) {
    public Generation {
        if (ids.length != logProbabilities.length || ids.length != samplingLogProbabilities.length) {
            throw new IllegalArgumentException(ids.length + " tokens but " + logProbabilities.length + " and "
                    + samplingLogProbabilities.length + " log-probabilities");
        }
    }

    /** Whether an end token was written. */
    public boolean ended() {
        return finish == Finish.END_TOKEN;
    }
}
