package dev.prpf.par.huggingface;

import static dev.prpf.base.config.Rule.require;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderConfig.Mixer;
import dev.prpf.par.engine.DecoderConfig.SpecialTokens;
import dev.prpf.par.engine.DecoderFamily;
import dev.prpf.par.engine.DeltaNetShape;
import dev.prpf.par.engine.RotaryScaling;
import dev.prpf.par.vision.VisionConfig.VisionFamily;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads Hugging Face's {@code config.json} of the families of {@link DecoderFamily}, both the older form ({@code rope_theta}, {@code
 * rope_scaling}, {@code torch_dtype}) and transformers 5's ({@code rope_parameters}, {@code dtype}). Also reads the text part of the
 * vision-language models of {@link VisionFamily}. Rejects unsupported keys that could change the mathematics, by name.
 */
record DecoderConfigJson(DecoderFamily family, ConfigObject keys) {
    private static final String TIED = "tie_word_embeddings";
    static final int MAX_LAYERS = 4096;

    private static final double QWEN3_5_ROTARY_SHARE = 0.25;

    /** Keys read only under certain values of other keys. */
    private static final Set<String> OF_SOME = ConfigObject.keys(
            """
            rope_parameters full_attention_interval linear_num_key_heads linear_num_value_heads linear_key_head_dim
            linear_value_head_dim linear_conv_kernel_dim sliding_window max_window_layers""");

    /** Reads the configuration of a file; throws 65, naming the key, for a missing or unsupported key. */
    static DecoderConfig read(String file, JsonNode root) {
        ConfigObject keys = ConfigObject.root(file, root);
        VisionFamily vision = VisionFamily.of(keys.text("model_type")).orElse(null);
        if (vision != null) {
            return readWithVision(keys, vision.decoder());
        }
        return family(keys) == DecoderFamily.GEMMA3
                ? Gemma3Format.read(keys)
                : new DecoderConfigJson(family(keys), keys).read(keys.flag(TIED, false));
    }

    /**
     * Reads the decoder of a vision-language model. Its keys are in an object of their own, or among the root's (Qwen2.5-VL by transformers
     * before 4.52). The object takes precedence.
     */
    private static DecoderConfig readWithVision(ConfigObject keys, DecoderFamily decoder) {
        keys.object(VisionConfigJson.VISION_CONFIG); // read by VisionConfigJson
        if (!keys.has(VisionConfigJson.TEXT_CONFIG)) {
            return new DecoderConfigJson(decoder, keys).read(keys.flag(TIED, false));
        }
        ConfigObject text = keys.object(VisionConfigJson.TEXT_CONFIG);
        text.only("model_type", decoder.modelType());
        boolean tied = keys.flag(TIED, text.flag(TIED, false));
        keys.refuseUnread(text.names());
        return new DecoderConfigJson(decoder, text).read(tied);
    }

    private static DecoderFamily family(ConfigObject keys) {
        List<DecoderFamily> families = List.of(DecoderFamily.values());
        List<String> types = families.stream().map(DecoderFamily::modelType).toList();
        int found = types.indexOf(keys.text("model_type"));
        if (found < 0) {
            List<String> visionTypes = Stream.of(VisionFamily.values())
                    .map(VisionFamily::modelType)
                    .toList();
            throw keys.refused(
                    "model_type",
                    "only " + types + " and " + visionTypes
                            + " are supported; use a model of these families, or run this one on a"
                            + " server and connect with --remote (docs/MODELS.md)");
        }
        return families.get(found);
    }

    private DecoderConfig read(boolean tied) {
        refuse();
        try {
            AttentionShape attention = attention();
            DecoderConfig config = new DecoderConfig(
                    family,
                    keys.whole("vocab_size", null),
                    keys.whole("hidden_size", null),
                    keys.whole("intermediate_size", null),
                    layerKinds(),
                    attention,
                    deltaNet(),
                    attention.ropeScaling().positions(positions()),
                    keys.number("rms_norm_eps", 1e-6),
                    tied,
                    new SpecialTokens(
                            keys.token("bos_token_id"), keys.tokens("eos_token_id"), keys.token("pad_token_id")));
            keys.refuseUnread(OF_SOME);
            config.parameterCount(); // fails here with the file's name if sizes overflow
            return config;
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw keys.refused(String.valueOf(e.getMessage()));
        }
    }

    private void refuse() {
        keys.only("hidden_act", "silu");
        keys.only("mamba_ssm_dtype", "float32");
        if (family.attentionBias()) {
            keys.value("attention_bias"); // in transformers, Qwen2.5 has biases for any value
        }
        if (keys.whole("pretraining_tp", 1) != 1) {
            throw keys.refused("pretraining_tp", "must be 1");
        }
        if (keys.has("sliding_window")
                && keys.flag("use_sliding_window", family == DecoderFamily.LLAMA)
                && windowed()) {
            throw keys.refused("sliding_window", "only attention over all positions is supported");
        }
        boolean gate = family.outputGate();
        if (keys.flag("attn_output_gate", gate) != gate) {
            throw keys.refused("attn_output_gate", "must be " + gate + " in a decoder of this type");
        }
    }

    /** Returns whether a layer has a window shorter than the positions; the first {@code max_window_layers} layers have no window. */
    private boolean windowed() {
        int unwindowed = keys.whole("max_window_layers", 0);
        return keys.whole("sliding_window", null) < positions() && unwindowed < keys.whole("num_hidden_layers", null);
    }

    private List<Mixer.Kind> layerKinds() {
        int layers = keys.whole("num_hidden_layers", null);
        if (layers < 1 || layers > MAX_LAYERS) {
            throw keys.refused("num_hidden_layers", "must be from 1 to " + MAX_LAYERS);
        }
        if (keys.has("layer_types")) {
            return namedKinds(layers);
        }
        if (family != DecoderFamily.QWEN3_5) {
            return DecoderConfig.fullAttention(layers);
        }
        int interval = keys.whole("full_attention_interval", 4);
        require(interval > 0, "full_attention_interval", interval, "positive");
        List<Mixer.Kind> kinds = new ArrayList<>(Collections.nCopies(layers, Mixer.Kind.LINEAR_ATTENTION));
        for (int i = interval - 1; i < layers; i += interval) {
            kinds.set(i, Mixer.Kind.FULL_ATTENTION);
        }
        return kinds;
    }

    private List<Mixer.Kind> namedKinds(int layers) {
        JsonNode names = keys.value("layer_types");
        if (!names.isArray() || names.size() != layers) {
            throw keys.refused("layer_types", "must be a list of num_hidden_layers = " + layers + " names");
        }
        List<Mixer.Kind> kinds = new ArrayList<>();
        for (JsonNode name : names) {
            if (name.asText().equals("linear_attention") && family != DecoderFamily.QWEN3_5) {
                throw keys.refused("layer_types", "a " + family.modelType() + " decoder has full attention only");
            }
            kinds.add(
                    switch (name.asText()) {
                        case "full_attention" -> Mixer.Kind.FULL_ATTENTION;
                        case "linear_attention" -> Mixer.Kind.LINEAR_ATTENTION;
                        default ->
                            throw keys.refused(
                                    "layer_types",
                                    "only full_attention and linear_attention are supported, not " + name);
                    });
        }
        return kinds;
    }

    private AttentionShape attention() {
        int hidden = keys.whole("hidden_size", null);
        int heads = keys.whole("num_attention_heads", null);
        require(heads > 0, "num_attention_heads", heads, "positive");
        int headDim = keys.whole("head_dim", headDimWhereAbsent(hidden, heads));
        String name = keys.has("rope_scaling") ? "rope_scaling" : "rope_parameters";
        ConfigObject rope = keys.object(name);
        RotaryScaling scaling = new RotaryScalingJson(rope, positions()).read();
        double theta = rope.number("rope_theta", keys.number("rope_theta", 10_000));
        double whole = family == DecoderFamily.QWEN3_5 ? QWEN3_5_ROTARY_SHARE : 1;
        double share = rope.number("partial_rotary_factor", keys.number("partial_rotary_factor", whole));
        if (!(share > 0 && share <= 1) || (share != 1 && family != DecoderFamily.QWEN3_5)) {
            throw keys.refused("partial_rotary_factor gives " + share + ", which a " + family.modelType()
                    + " decoder does not support");
        }
        List<Integer> sections = family.positionAxes() ? sections(rope) : List.of();
        rope.refuseUnread(RotaryScalingJson.OF_OTHER_TYPES);
        return new AttentionShape(
                heads,
                keys.whole("num_key_value_heads", keyValueHeadsWhereAbsent(heads)),
                headDim,
                (int) (headDim * share),
                theta,
                scaling,
                sections,
                0,
                1 / Math.sqrt(headDim));
    }

    /** Returns the rotary sections of image positions; text uses equal positions in all three. */
    private List<Integer> sections(ConfigObject rope) {
        boolean interleaved = family.interleavedAxes();
        if (rope.flag("mrope_interleaved", interleaved) != interleaved) {
            throw rope.refused("mrope_interleaved", "must be " + interleaved + " in a decoder of this type");
        }
        return rope.tokens("mrope_section");
    }

    private int positions() {
        return keys.whole("max_position_embeddings", family == DecoderFamily.LLAMA ? 2048 : 32_768);
    }

    /** Returns the reference implementation's default; null there means the number of query heads. */
    private int keyValueHeadsWhereAbsent(int heads) {
        if (family == DecoderFamily.LLAMA || keys.value("num_key_value_heads").isNull()) {
            return heads;
        }
        return family == DecoderFamily.QWEN3_5 ? 4 : 32;
    }

    private int headDimWhereAbsent(int hidden, int heads) {
        return switch (family) {
            case LLAMA, QWEN2, QWEN2_5_VL -> hidden / heads;
            case QWEN3 -> 128;
            default -> 256;
        };
    }

    private @Nullable DeltaNetShape deltaNet() {
        if (!layerKinds().contains(Mixer.Kind.LINEAR_ATTENTION)) {
            return null;
        }
        return new DeltaNetShape(
                keys.whole("linear_num_key_heads", null),
                keys.whole("linear_num_value_heads", null),
                keys.whole("linear_key_head_dim", null),
                keys.whole("linear_value_head_dim", null),
                keys.whole("linear_conv_kernel_dim", null));
    }

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
            return rope.has(typeKey())
                    ? rope.text(typeKey())
                    : RotaryScaling.none().type();
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
                    throw rope.refused(
                            typeKey(), "only \"default\", \"linear\", \"llama3\" and \"yarn\" are supported");
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
}
