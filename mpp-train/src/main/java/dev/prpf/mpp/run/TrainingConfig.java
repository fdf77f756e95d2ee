package dev.prpf.mpp.run;

import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.mpp.network.Device;
import dev.prpf.mpp.threshold.ThresholdRule;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What the configurations of {@code mpp train}, with and without {@code --ensemble}, have in common. */
public sealed interface TrainingConfig permits MppConfig, EnsembleConfig {
    /** Of splits, folds, initialization, order and dropout. */
    long seed();

    /** Where a network trains. */
    Device device();

    /** How p_trigger is calibrated, and the samples kept for risk control. */
    MppConfig.Calibration calibration();

    /** The gate's rule (PRPF B.1). */
    ThresholdRule.MinRecall threshold();

    /**
     * The encoders that the perceiver sees with; of an ensemble the first text encoder and what sees the screenshots.
     *
     * @param images root of the samples' image paths; null where no sample has images
     */
    EncoderSettings encoders(Path store, @Nullable Path images);
}
