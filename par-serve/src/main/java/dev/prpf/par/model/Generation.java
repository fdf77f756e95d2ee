package dev.prpf.par.model;

/**
 * The continuation of one prompt.
 *
 * @param ids the new tokens, the end token among them
 * @param logProbabilities of each new token under the model itself (temperature 1, nothing cut off)
 * @param ended whether an end token was written; false where the length ran out
 */
public record Generation(long[] ids, float[] logProbabilities, boolean ended) {
    public Generation {
        if (ids.length != logProbabilities.length) {
            throw new IllegalArgumentException(
                    ids.length + " tokens but " + logProbabilities.length + " log-probabilities");
        }
    }
}
