package dev.prpf.par.generate;

/**
 * The likeliest tokens at one position.
 *
 * @param ids likeliest first; as many as requested, at most the vocabulary
 * @param logProbabilities of each under the model itself: the softmax of its logits at temperature 1, without truncation
 */
public record TopLogprobs(long[] ids, float[] logProbabilities) {
    /** Reads rows of tokens, followed by their log-probabilities: the script's {@code top_logprobs}. */
    static TopLogprobs of(double[] rows, int row, int width) {
        long[] ids = new long[width];
        float[] logProbabilities = new float[width];
        for (int i = 0; i < width; i++) {
            ids[i] = (long) rows[2 * row * width + i];
            logProbabilities[i] = (float) rows[(2 * row + 1) * width + i];
        }
        return new TopLogprobs(ids, logProbabilities);
    }
}
