package dev.prpf.eval.efficiency;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.DoubleBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Resources of a run over all its processes, without those that its predictions record. Each process writes its part as a line of {@code
 * metrics.jsonl}. Memory is in 10⁶ bytes and null if the system does not report it.
 *
 * @param peakMemoryMb peak resident memory: Java's heap and every library's own, perceiver and reasoner together
 * @param perceiverMemoryMb peak during perception, without the memory that loading the reasoner added; null without a perceiver
 * @param reasonerMemoryMb peak during reasoning, without the memory that the perceiver's first chunk added
 * @param perceiverDeviceMb peak memory reserved on the reasoner's card during perception, without that reserved by loading the reasoner; null if
 *     NVML does not report it
 * @param reasonerDeviceMb peak memory reserved there during reasoning, without that of the perceiver's first chunk
 * @param deviceMemoryUnknown the reason why one of these two is null; null if neither is
 * @param runSeconds wall clock, models loaded
 * @param encodingsReused contents already encoded in a store; no prediction holds their cost
 */
public record RunResources(
        @Nullable Double peakMemoryMb,
        @Nullable Double perceiverMemoryMb,
        @Nullable Double reasonerMemoryMb,
        @JsonProperty("perceiver_device_reserved_mb") @Nullable Double perceiverDeviceMb,
        @JsonProperty("reasoner_device_reserved_mb") @Nullable Double reasonerDeviceMb,
        @Nullable String deviceMemoryUnknown,
        double runSeconds,
        long encodingsReused) {
    /** Resources of a run that has not started. */
    public static final RunResources NONE = new RunResources(null, null, null, null, null, null, 0, 0);

    /** Reads a line of {@code metrics.jsonl}, or the result in {@code run.json}. */
    public static RunResources of(JsonNode json) {
        return new RunResources(
                number(json, "peak_memory_mb"),
                number(json, "perceiver_memory_mb"),
                number(json, "reasoner_memory_mb"),
                number(json, "perceiver_device_reserved_mb"),
                number(json, "reasoner_device_reserved_mb"),
                json.path("device_memory_unknown").textValue(),
                json.path("run_seconds").asDouble(),
                json.path("encodings_reused").asLong());
    }

    private static @Nullable Double number(JsonNode json, String key) {
        return json.path(key).isNumber() ? json.path(key).doubleValue() : null;
    }

    /** Adds another part or shard of the run, executed after this one. */
    public RunResources and(RunResources other) {
        return new RunResources(
                either(peakMemoryMb, other.peakMemoryMb, Math::max),
                either(perceiverMemoryMb, other.perceiverMemoryMb, Math::max),
                either(reasonerMemoryMb, other.reasonerMemoryMb, Math::max),
                either(perceiverDeviceMb, other.perceiverDeviceMb, Math::max),
                either(reasonerDeviceMb, other.reasonerDeviceMb, Math::max),
                deviceMemoryUnknown == null ? other.deviceMemoryUnknown : deviceMemoryUnknown,
                runSeconds + other.runSeconds,
                encodingsReused + other.encodingsReused);
    }

    /** Returns the larger stage's peak, as the stages run one after the other (PRPF B.6); null if neither is known. */
    public @Nullable Double sequentialMb() {
        return either(perceiverMemoryMb, reasonerMemoryMb, Math::max);
    }

    /** Returns the sum of both peaks, the conservative bound (PRPF B.6). */
    public @Nullable Double coResidentBoundMb() {
        return either(perceiverMemoryMb, reasonerMemoryMb, Double::sum);
    }

    /** Returns the larger stage's peak on the card; null if neither is known. */
    public @Nullable Double deviceMb() {
        return either(perceiverDeviceMb, reasonerDeviceMb, Math::max);
    }

    private static @Nullable Double either(@Nullable Double one, @Nullable Double other, DoubleBinaryOperator both) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return both.applyAsDouble(one, other);
    }
}
