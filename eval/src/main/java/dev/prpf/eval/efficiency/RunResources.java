package dev.prpf.eval.efficiency;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.DoubleBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a run took beside what its predictions say, over all its processes; a part of it is a line of {@code metrics.jsonl}. Memory is in 10⁶
 * bytes and null where the system does not say.
 *
 * @param peakMemoryMb the most that was resident: Java's heap and every library's own, perceiver and reasoner together
 * @param perceiverMemoryMb the most while it perceived, without what loading the reasoner added; null where no perceiver ran
 * @param reasonerMemoryMb the most while it reasoned, without what the perceiver's first chunk added
 * @param perceiverDeviceMb peak memory that this process reserved on the reasoner's card during perception, without the memory that loading
 *     the reasoner reserved; null where NVML does not report it
 * @param reasonerDeviceMb peak memory that it reserved there during reasoning, without the memory that the perceiver's first chunk added
 * @param deviceMemoryUnknown the reason why one of these two is null; null if neither is
 * @param runSeconds wall clock, models loaded
 * @param encodingsReused contents whose encoding lay in a store before: what they cost is in no prediction
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
    /** Nothing ran yet. */
    public static final RunResources NONE = new RunResources(null, null, null, null, null, null, 0, 0);

    /** As a line of {@code metrics.jsonl}, or the result of {@code run.json}, keeps it. */
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

    /** With another part of the run, or another shard, one after the other. */
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

    /** PRPF B.6: perceiver and reasoner run one after the other, so the larger one counts; null where none is known. */
    public @Nullable Double sequentialMb() {
        return either(perceiverMemoryMb, reasonerMemoryMb, Math::max);
    }

    /** PRPF B.6: both stay in memory; the conservative bound is their sum. */
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
