package dev.prpf.par.training;

import org.jspecify.annotations.Nullable;

/**
 * Where a fine-tuning stands; saved with each checkpoint, so that a resumed run logs what an undisturbed one would.
 *
 * @param tokens seen so far
 * @param windowSteps steps since the last line of metrics
 * @param windowLoss sum of their losses
 * @param windowNorm sum of their gradient norms
 * @param windowLabels their supervised tokens
 * @param windowHits those of them that were the likeliest
 * @param lastLoss of the last line of metrics
 * @param best evaluation, whose model is kept; null before the first or without held-out examples
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

    /** After another step, whose gradient had that norm before clipping. */
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
