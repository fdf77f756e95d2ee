package dev.prpf.par.huggingface;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.par.engine.RotaryScaling;
import java.util.Set;

/**
 * Reads {@code rope_type} and its keys in {@code rope_parameters} or {@code rope_scaling}, with transformers' defaults.
 *
 * @param positions {@code max_position_embeddings}, the default of the original positions
 */
record RotaryScalingJson(ConfigObject rope, int positions) {
    private static final String FACTOR = "factor";

    /** Keys without effect if the type does not read them. */
    static final Set<String> OF_OTHER_TYPES = Set.of("rope_type", "type", RotaryScaling.ORIGINAL);

    private String typeKey() {
        return rope.has("rope_type") ? "rope_type" : "type";
    }

    private String type() {
        return rope.has(typeKey()) ? rope.text(typeKey()) : RotaryScaling.none().type();
    }

    /** @throws dev.prpf.base.error.PrpfException 65, naming the key */
    RotaryScaling read() {
        return switch (type()) {
            case "default", "mrope" -> RotaryScaling.none(); // mrope: transformers 4's name of the sections
            case "linear" -> new RotaryScaling.Linear(required(FACTOR));
            case "llama3" ->
                new RotaryScaling.Llama3(
                        required(FACTOR),
                        required("low_freq_factor"),
                        required("high_freq_factor"),
                        rope.whole(RotaryScaling.ORIGINAL, positions));
            case "yarn" -> yarn(required(FACTOR));
            default ->
                throw rope.refused(typeKey(), "only \"default\", \"linear\", \"llama3\" and \"yarn\" are supported");
        };
    }

    private RotaryScaling yarn(double factor) {
        double scale = rope.number("mscale", 0);
        double ofAll = rope.number("mscale_all_dim", 0);
        double inferred = scale != 0 && ofAll != 0
                ? RotaryScaling.Yarn.warmth(factor, scale) / RotaryScaling.Yarn.warmth(factor, ofAll)
                : RotaryScaling.Yarn.warmth(factor, 1);
        return new RotaryScaling.Yarn(
                factor,
                rope.whole(RotaryScaling.ORIGINAL, positions),
                rope.number("attention_factor", inferred),
                rope.number("beta_fast", 32),
                rope.number("beta_slow", 1),
                rope.flag("truncate", true));
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
