package dev.prpf.mpp.training;

import org.jspecify.annotations.Nullable;

/**
 * What one step of training gave.
 *
 * @param step its number, from 1
 * @param epoch its epoch, from 1
 * @param loss the batch's joint loss before the step
 * @param epochEnd what was measured if the epoch ended with this step
 */
public record StepResult(long step, int epoch, double loss, @Nullable EpochEnd epochEnd) {
    /**
     * The end of an epoch.
     *
     * @param trainLoss mean of its batches' losses
     * @param devLoss the joint loss over the dev samples; null without dev samples
     * @param improved whether the dev loss is the smallest so far
     */
    public record EpochEnd(double trainLoss, @Nullable Double devLoss, boolean improved) {}
}
