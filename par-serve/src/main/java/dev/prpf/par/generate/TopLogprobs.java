package dev.prpf.par.generate;

/**
 * The likeliest tokens at one place.
 *
 * @param ids likeliest first; as many as were asked for, or the vocabulary has
 * @param logProbabilities of each under the model itself: the softmax of its logits at temperature 1, nothing cut off
 */
public record TopLogprobs(long[] ids, float[] logProbabilities) {
    /** Rows of tokens and, behind them, of their log-probabilities: the script's {@code top_logprobs}. */
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
