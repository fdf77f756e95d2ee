package dev.prpf.mpp.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a perceiver costs on this machine.
 *
 * @param device where training ran
 * @param cores of this machine
 * @param parameters trainable values
 * @param training by batch size
 * @param perceiverOnly the network without encoders
 * @param decisions with encoders
 * @param history a new frame's fusion by length of history
 * @param memory resident memory by part
 */
public record BenchResult(
        String device,
        int cores,
        int parameters,
        List<Training> training,
        List<PerceiverOnly> perceiverOnly,
        List<Decision> decisions,
        List<History> history,
        @JsonProperty("peak_mb") Memory memory) {
    /**
     * Training steps (forward, backward, AdamW) at one batch size, on trajectories of the full length.
     *
     * @param batch samples a step
     * @param samplesPerSecond at the median
     * @param step time of a step
     * @param gflopPerSample forward and backward
     * @param peakMb resident memory above what was there before
     */
    public record Training(
            int batch, double samplesPerSecond, Timing step, double gflopPerSample, @Nullable Double peakMb) {}

    /**
     * The network without encoders.
     *
     * @param what which path
     * @param batch samples at once
     * @param time of one call
     * @param gflop of one call
     */
    public record PerceiverOnly(String what, int batch, Timing time, double gflop) {}

    /**
     * One decision by part. A median of the whole is not the sum of the parts' medians.
     *
     * @param what which decision
     * @param tokens through the text encoder a decision, special ones included
     * @param total from the new content to the answer
     * @param frameEncoderMs median of text recognition; null where no image is read
     * @param textEncoderMs median
     * @param fusionMs median of the network
     * @param gflop operations by part
     */
    public record Decision(
            String what,
            double tokens,
            Timing total,
            @Nullable Double frameEncoderMs,
            double textEncoderMs,
            double fusionMs,
            Gflop gflop) {}

    /**
     * 10⁹ floating-point operations.
     *
     * @param frameEncoder null where no image is read
     */
    public record Gflop(@Nullable Double frameEncoder, double textEncoder, double fusion) {
        @JsonProperty("total")
        public double total() {
            return (frameEncoder == null ? 0 : frameEncoder) + textEncoder + fusion;
        }
    }

    /**
     * A new frame's fusion (projections and answer) after a number of frames of history.
     *
     * @param frames how many came before
     * @param us microseconds, median
     */
    public record History(int frames, double us) {}

    /**
     * Megabytes (10⁶ bytes) that a part added while it was loaded and used; null where the system does not say.
     *
     * @param textEncoder a frame of 64 tokens
     * @param frameEncoder screenshots; null without any
     * @param fusion the streaming network
     */
    public record Memory(@Nullable Double textEncoder, @Nullable Double frameEncoder, @Nullable Double fusion) {}
}
