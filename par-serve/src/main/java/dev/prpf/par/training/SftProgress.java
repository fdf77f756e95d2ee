package dev.prpf.par.training;

import org.jspecify.annotations.Nullable;

/**
 * Where a fine-tuning stands; saved with each checkpoint, so that a resumed run logs what an undisturbed one would.
 *
 * @param step optimizer steps done
 * @param tokens seen so far
 * @param windowSteps steps since the last line of metrics
 * @param windowLoss sum of their losses
 * @param windowNorm sum of their gradient norms
 * @param windowLabels their supervised tokens
 * @param windowHits those of them that were the likeliest
 * @param lastLoss of the last line of metrics
 * @param last evaluation; null before the first or without held-out examples
 * @param best evaluation, whose model is kept; null as the last
 */
record SftProgress(
        long step,
        long tokens,
        long windowSteps,
        double windowLoss,
        double windowNorm,
        long windowLabels,
        long windowHits,
        double lastLoss,
        SftDev.@Nullable SftEvaluation last,
        SftDev.@Nullable SftEvaluation best) {
    static SftProgress start() {
        return new SftProgress(0, 0, 0, 0, 0, 0, 0, Double.NaN, null, null);
    }

    SftProgress after(SftTraining.SftStep done) {
        return new SftProgress(
                step + 1,
                tokens + done.tokens(),
                windowSteps + 1,
                windowLoss + done.loss(),
                windowNorm + done.gradientNorm(),
                windowLabels + done.labels(),
                windowHits + done.hits(),
                lastLoss,
                last,
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
        return new SftProgress(step, tokens, 0, 0, 0, 0, 0, windowLoss / windowSteps, last, best);
    }

    /** Knows of an evaluation after the last step. */
    SftProgress evaluated(SftDev.SftEvaluation found, SftConfig.Selection selection) {
        return new SftProgress(
                step,
                tokens,
                windowSteps,
                windowLoss,
                windowNorm,
                windowLabels,
                windowHits,
                lastLoss,
                found,
                found.better(best, selection) ? found : best);
    }
}
