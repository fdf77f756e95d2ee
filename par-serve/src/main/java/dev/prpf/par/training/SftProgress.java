package dev.prpf.par.training;

import org.jspecify.annotations.Nullable;

/**
 * The progress of a fine-tuning; saved with each checkpoint, so that a resumed run logs the same as an uninterrupted one.
 *
 * @param tokens seen so far
 * @param windowSteps steps since the last line of metrics
 * @param windowLoss sum of their losses
 * @param windowNorm sum of their gradient norms
 * @param windowLabels number of their supervised tokens
 * @param windowHits number of these that were the likeliest token
 * @param lastLoss of the last line of metrics
 * @param best evaluation, of the model that is kept; null before the first or without held-out examples
 */
record SftProgress(
        long tokens,
        long windowSteps,
        double windowLoss,
        double windowNorm,
        long windowLabels,
        long windowHits,
        double lastLoss,
        SftDev.@Nullable SftEvaluation best) {
    static SftProgress start() {
        return new SftProgress(0, 0, 0, 0, 0, 0, Double.NaN, null);
    }

    /** Returns the progress after another step, with the norm of its gradient before clipping. */
    SftProgress after(SftLoss.Part done, double gradientNorm, long moreTokens) {
        return new SftProgress(
                tokens + moreTokens,
                windowSteps + 1,
                windowLoss + done.loss(),
                windowNorm + gradientNorm,
                windowLabels + done.labels(),
                windowHits + done.hits(),
                lastLoss,
                best);
    }

    /** A line of metrics: means over the steps since the line before. */
    record Line(
            double loss,
            double gradNorm,
            double learningRate,
            double meanTokenAccuracy,
            long numTokens,
            double epoch) {}

    Line line(double learningRate, double epoch) {
        return new Line(
                windowLoss / windowSteps,
                windowNorm / windowSteps,
                learningRate,
                (double) windowHits / windowLabels,
                tokens,
                epoch);
    }

    SftProgress logged() {
        return new SftProgress(tokens, 0, 0, 0, 0, 0, windowLoss / windowSteps, best);
    }

    SftProgress withBest(SftDev.SftEvaluation found) {
        return new SftProgress(tokens, windowSteps, windowLoss, windowNorm, windowLabels, windowHits, lastLoss, found);
    }
}
