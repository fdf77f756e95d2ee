package dev.prpf.par.huggingface;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.par.engine.RotaryScaling;
import java.util.Set;

/** {@code rope_type} and its keys in {@code rope_parameters} or {@code rope_scaling}, with transformers' defaults. */
final class RotaryScalingJson {
    private static final String FACTOR = "factor";
    private static final String LOW = "low_freq_factor";
    private static final String HIGH = "high_freq_factor";
    private static final String ATTENTION = "attention_factor";
    private static final String FAST = "beta_fast";
    private static final String SLOW = "beta_slow";
    private static final String TRUNCATE = "truncate";
    private static final String SCALE = "mscale";
    private static final String SCALE_OF_ALL = "mscale_all_dim";

    private final ConfigObject rope;
    private final int positions;

    /** {@code positions} is {@code max_position_embeddings}: the original positions where the object names none. */
    RotaryScalingJson(ConfigObject rope, int positions) {
        this.rope = rope;
        this.positions = positions;
    }

    private String typeKey() {
        return rope.has("rope_type") ? "rope_type" : "type";
    }

    private String type() {
        return rope.has(typeKey()) ? rope.text(typeKey()) : RotaryScaling.none().type();
    }

    Set<String> keys() {
        return switch (type()) {
            case "linear" -> Set.of(FACTOR);
            case "llama3" -> Set.of(FACTOR, LOW, HIGH, RotaryScaling.ORIGINAL);
            case "yarn" -> Set.of(FACTOR, RotaryScaling.ORIGINAL, ATTENTION, FAST, SLOW, TRUNCATE, SCALE, SCALE_OF_ALL);
            default -> Set.of();
        };
    }

    /** @throws dev.prpf.base.error.PrpfException 65, naming the key */
    RotaryScaling read() {
        return switch (type()) {
            case "default" -> RotaryScaling.none();
            case "linear" -> new RotaryScaling.Linear(required(FACTOR));
            case "llama3" ->
                new RotaryScaling.Llama3(
                        required(FACTOR), required(LOW), required(HIGH), rope.whole(RotaryScaling.ORIGINAL, positions));
            case "yarn" -> yarn(required(FACTOR));
            default ->
                throw rope.refused(typeKey(), "only \"default\", \"linear\", \"llama3\" and \"yarn\" are understood");
        };
    }

    private RotaryScaling yarn(double factor) {
        double scale = rope.number(SCALE, 0);
        double ofAll = rope.number(SCALE_OF_ALL, 0);
        double inferred = scale != 0 && ofAll != 0
                ? RotaryScaling.Yarn.warmth(factor, scale) / RotaryScaling.Yarn.warmth(factor, ofAll)
                : RotaryScaling.Yarn.warmth(factor, 1);
        return new RotaryScaling.Yarn(
                factor,
                rope.whole(RotaryScaling.ORIGINAL, positions),
                rope.number(ATTENTION, inferred),
                rope.number(FAST, 32),
                rope.number(SLOW, 1),
                rope.flag(TRUNCATE, true));
    }

    private double required(String key) {
        if (!rope.has(key)) {
            throw rope.refused(key, "rope_type " + type() + " needs it");
        }
        return rope.number(key, 0);
    }

    static void write(ObjectNode rope, RotaryScaling scaling) {
        rope.put("rope_type", scaling.type());
        if (!(scaling instanceof RotaryScaling.None)) {
            rope.setAll((ObjectNode) JsonRecords.tree(scaling));
        }
    }
}
