package dev.prpf.par.huggingface;

import static dev.prpf.base.config.Rule.require;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderConfig.Mixer;
import dev.prpf.par.engine.DecoderConfig.SpecialTokens;
import dev.prpf.par.engine.DecoderFamily;
import dev.prpf.par.engine.RotaryScaling;
import dev.prpf.par.huggingface.DecoderConfigJson.RotaryScalingJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of Gemma 3's text model: sliding and full layers, each with a rotary base. Reads the published form ({@code rope_theta},
 * {@code rope_local_base_freq}, {@code sliding_window_pattern}) and transformers 5's ({@code rope_parameters} by layer type, {@code
 * layer_types}). Missing keys have the defaults of transformers' {@code Gemma3TextConfig}.
 */
final class Gemma3Format {
    private static final String ACTIVATION = "gelu_pytorch_tanh";
    private static final int POSITIONS = 131_072;
    private static final String FULL = "full_attention";
    private static final String SLIDING = "sliding_attention";

    /** Keys without effect in transformers' Gemma 3. */
    private static final Set<String> IGNORED = Set.of("attn_logit_softcapping", "hidden_act");

    private Gemma3Format() {}

    static DecoderConfig read(ConfigObject keys) {
        keys.only("hidden_activation", ACTIVATION);
        try {
            int hidden = keys.whole("hidden_size", 2304);
            DecoderConfig config = new DecoderConfig(
                    DecoderFamily.GEMMA3,
                    keys.whole("vocab_size", 262_208),
                    hidden,
                    keys.whole("intermediate_size", 9216),
                    layers(keys),
                    keys.whole("max_position_embeddings", POSITIONS),
                    keys.number("rms_norm_eps", 1e-6),
                    keys.flag("tie_word_embeddings", true),
                    new SpecialTokens(token(keys, "bos_token_id", 2), end(keys), token(keys, "pad_token_id", 0)),
                    keys.number("final_logit_softcapping", 0));
            keys.refuseUnread(IGNORED);
            config.parameterCount(); // fails here with the file's name if sizes overflow
            return config;
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw keys.refused(String.valueOf(e.getMessage()));
        }
    }

    private static @Nullable Integer token(ConfigObject keys, String key, int absent) {
        return keys.value(key).isMissingNode() ? Integer.valueOf(absent) : keys.token(key);
    }

    private static List<Integer> end(ConfigObject keys) {
        return keys.value("eos_token_id").isMissingNode() ? List.of(1) : keys.tokens("eos_token_id");
    }

    private static List<Mixer> layers(ConfigObject keys) {
        int window = keys.whole("sliding_window", 4096);
        require(window > 0, "sliding_window", window, "positive");
        AttentionShape full = attention(keys, rope(keys, FULL, "rope_theta", 1e6), 0);
        AttentionShape sliding = attention(keys, rope(keys, SLIDING, "rope_local_base_freq", 1e4), window);
        return kinds(keys).stream()
                .<Mixer>map(kind -> kind == Mixer.Kind.SLIDING_ATTENTION ? sliding : full)
                .toList();
    }

    private record Rope(double theta, RotaryScaling scaling) {}

    /** Reads the parameters of a layer type, or else the older keys, of which rope_scaling is only for full layers. */
    private static Rope rope(ConfigObject keys, String kind, String theta, double absent) {
        int positions = keys.whole("max_position_embeddings", POSITIONS);
        ConfigObject parameters = keys.object("rope_parameters");
        ConfigObject rope = parameters.object(kind);
        parameters.refuseUnread(Set.of(FULL, SLIDING));
        if (kind.equals(FULL) && keys.has("rope_scaling")) {
            rope = keys.object("rope_scaling");
        }
        Rope read = new Rope(
                rope.number("rope_theta", keys.number(theta, absent)), new RotaryScalingJson(rope, positions).read());
        rope.refuseUnread(RotaryScalingJson.OF_OTHER_TYPES);
        return read;
    }

    private static AttentionShape attention(ConfigObject keys, Rope rope, int window) {
        int headDim = keys.whole("head_dim", 256);
        double scalar = keys.number("query_pre_attn_scalar", 256);
        require(scalar > 0, "query_pre_attn_scalar", scalar, "positive");
        return new AttentionShape(
                keys.whole("num_attention_heads", 8),
                keys.whole("num_key_value_heads", 4),
                headDim,
                headDim,
                rope.theta(),
                rope.scaling(),
                List.of(),
                window,
                1 / Math.sqrt(scalar));
    }

    private static List<Mixer.Kind> kinds(ConfigObject keys) {
        int layers = keys.whole("num_hidden_layers", 26);
        if (layers < 1 || layers > DecoderConfigJson.MAX_LAYERS) {
            throw keys.refused("num_hidden_layers", "must be from 1 to " + DecoderConfigJson.MAX_LAYERS);
        }
        int pattern = keys.whole("sliding_window_pattern", 6);
        require(pattern > 0, "sliding_window_pattern", pattern, "positive");
        List<Mixer.Kind> kinds = new ArrayList<>();
        JsonNode names = keys.value("layer_types");
        for (int i = 0; i < layers; i++) {
            String byPattern = (i + 1) % pattern == 0 ? FULL : SLIDING;
            String name = names.isArray() ? names.path(i).asText() : byPattern;
            if (!List.of(FULL, SLIDING).contains(name) || (names.isArray() && names.size() != layers)) {
                throw keys.refused(
                        "layer_types",
                        "must be a list of num_hidden_layers = " + layers + " names, each " + FULL + " or " + SLIDING);
            }
            kinds.add(Mixer.Kind.valueOf(name.toUpperCase(Locale.ROOT)));
        }
        return kinds;
    }

    /** Changes the output of {@link DecoderConfigWriter} to the family's keys. */
    static void change(ObjectNode root, DecoderConfig config) {
        root.remove(List.of("hidden_act", "rope_theta"));
        root.put("hidden_activation", ACTIVATION);
        root.put("final_logit_softcapping", config.logitSoftcap() > 0 ? config.logitSoftcap() : null);
        root.put("use_bidirectional_attention", false);
        ObjectNode rope = root.putObject("rope_parameters");
        for (Mixer mixer : config.mixers()) {
            AttentionShape attention = (AttentionShape) mixer;
            putScalar(root, 1 / (attention.scale() * attention.scale()));
            ObjectNode own = rope.putObject(attention.kind().name().toLowerCase(Locale.ROOT));
            own.put("rope_theta", attention.ropeTheta());
            RotaryScalingJson.write(own, attention.ropeScaling());
            if (attention.window() > 0) {
                root.put("sliding_window", attention.window());
            }
        }
    }

    /** Writes a whole number if the scalar is one up to rounding, like the published files. */
    private static void putScalar(ObjectNode root, double scalar) {
        long whole = Math.round(scalar);
        if (Math.abs(scalar - whole) < 1e-9 * scalar) {
            root.put("query_pre_attn_scalar", whole);
        } else {
            root.put("query_pre_attn_scalar", scalar);
        }
    }
}
