package dev.prpf.mpp.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.run.ProcessMemory;
import dev.prpf.mpp.MppConfig;
import dev.prpf.mpp.network.MppNetwork;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkFlops;
import dev.prpf.mpp.network.definition.NetworkShape;
import org.jspecify.annotations.Nullable;

/**
 * Training steps (forward, backward, AdamW) at one batch size, on trajectories of the full length.
 *
 * @param batch samples a step
 * @param samplesPerSecond at the median
 * @param step time of a step
 * @param gflopPerSample forward and backward
 * @param peakMb resident memory above what was there before
 */
public record TrainingSpeed(
        int batch,
        @JsonProperty("samples_per_second") double samplesPerSecond,
        Timing step,
        @JsonProperty("gflop_per_sample") double gflopPerSample,
        @JsonProperty("peak_mb") @Nullable Double peakMb) {
    private static final int WARM_UP = 12;
    /** Small batches need more unmeasured steps, or what is measured is the compiler at work on the other core. */
    private static final int WARM_UP_SAMPLES = 2048;

    static TrainingSpeed measure(MppConfig config, NetworkShape shape, int batch, double seconds) {
        ProcessMemory.Measured<Timing> measured = ProcessMemory.peakOf(() -> steps(config, shape, batch, seconds));
        Timing step = measured.result();
        double gflop = 3 * new NetworkFlops(shape).batch(shape.maxSteps()) / 1e9;
        return new TrainingSpeed(
                batch, batch / step.median() * 1e3, step, gflop, PerceiverBench.megabytes(measured.peakBytes()));
    }

    private static Timing steps(MppConfig config, NetworkShape shape, int batch, double seconds) {
        FeatureBatch features =
                FeatureBatch.of(new MadeInputs(config.seed()).samples(batch, shape.maxSteps(), shape), shape);
        MppConfig.Optimizer optimizer = config.optimizer();
        try (MppNetwork network = new MppNetwork(shape, config.loss(), config.seed())) {
            return Timing.measure(Math.max(WARM_UP, WARM_UP_SAMPLES / batch), seconds, () -> {
                network.backward(features);
                network.update(optimizer.learningRate(), optimizer.weightDecay());
            });
        }
    }
}
