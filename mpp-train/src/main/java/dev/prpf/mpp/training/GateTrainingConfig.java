package dev.prpf.mpp.training;

import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.mpp.network.Device;
import dev.prpf.mpp.threshold.ThresholdRule;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Common keys of the configurations of {@code gate train}, with and without {@code --ensemble}. */
public sealed interface GateTrainingConfig permits MppConfig, EnsembleConfig {
    /** Seed of splits, folds, initialization, order and dropout. */
    long seed();

    Device device();

    /** The calibration of p_trigger, and the samples for risk control. */
    MppConfig.Calibration calibration();

    /** The gate's rule (PRPF B.1). */
    ThresholdRule.MinRecall threshold();

    /**
     * Returns the perceiver's encoders; for an ensemble the first text encoder and the screenshots' encoder.
     *
     * @param images root of the samples' image paths; null if no sample has images
     */
    EncoderSettings encoders(Path store, @Nullable Path images);
}
