package dev.prpf.mpp.training;

import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;

/**
 * What a training needs beside its samples.
 *
 * @param seed of first values, order and dropout
 * @param shape the network
 * @param loss the objective
 * @param learningRate AdamW's step size
 * @param weightDecay AdamW's decay, on weights only
 * @param batch samples a step
 * @param epochs most passes over the training samples
 * @param patience epochs without a smaller dev loss after which training ends
 */
public record TrainingSettings(
        long seed,
        NetworkShape shape,
        JointLoss loss,
        double learningRate,
        double weightDecay,
        int batch,
        int epochs,
        int patience) {
    public TrainingSettings {
        if (!(learningRate > 0)) {
            throw new IllegalArgumentException("learning-rate = " + learningRate + ", must be above 0");
        }
        if (!(weightDecay >= 0)) {
            throw new IllegalArgumentException("weight-decay = " + weightDecay + ", must be at least 0");
        }
        if (batch < 1 || epochs < 1 || patience < 1) {
            throw new IllegalArgumentException("batch = " + batch + ", epochs = " + epochs + ", patience = " + patience
                    + ": each must be at least 1");
        }
    }
}
