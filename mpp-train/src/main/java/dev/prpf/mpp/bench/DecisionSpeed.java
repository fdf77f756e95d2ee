package dev.prpf.mpp.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * One decision by part. A median of the whole is not the sum of the parts' medians.
 *
 * @param what which decision
 * @param tokens through the text encoder a decision, special ones included
 * @param total from the new content to the answer
 * @param frameEncoder median milliseconds of text recognition; null where no picture is read
 * @param textEncoder median milliseconds
 * @param fusion median milliseconds of the network
 * @param gflop operations by part
 */
public record DecisionSpeed(
        String what,
        double tokens,
        Timing total,
        @JsonProperty("frame_encoder_ms") @Nullable Double frameEncoder,
        @JsonProperty("text_encoder_ms") double textEncoder,
        @JsonProperty("fusion_ms") double fusion,
        Gflop gflop) {
    /**
     * 10⁹ floating-point operations.
     *
     * @param frameEncoder null where no picture is read
     */
    public record Gflop(
            @JsonProperty("frame_encoder") @Nullable Double frameEncoder,
            @JsonProperty("text_encoder") double textEncoder,
            @JsonProperty("fusion") double fusion) {
        @JsonProperty("total")
        public double total() {
            return (frameEncoder == null ? 0 : frameEncoder) + textEncoder + fusion;
        }
    }
}
