package dev.prpf.mpp.training;

import dev.prpf.base.config.Rule;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.run.MppConfig;

/** The settings of a training in memory: at most this many epochs, and fewer where the dev loss was not smaller for a number of them. */
public record TrainingSettings(
        long seed, NetworkShape shape, JointLoss loss, MppConfig.Optimizer optimizer, int epochs, int patience) {
    public TrainingSettings {
        Rule.require(epochs >= 1, "epochs", epochs, "at least 1");
        Rule.require(patience >= 1, "patience", patience, "at least 1");
    }

    /** A configuration's training over vectors of this width and this many scenarios. */
    public static TrainingSettings of(MppConfig config, int width, int scenarios) {
        return new TrainingSettings(
                config.seed(),
                config.network().shape(width, scenarios),
                config.loss(),
                config.optimizer(),
                config.training().epochs(),
                config.training().patience());
    }
}
