package dev.prpf.par.huggingface;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionConfig.VisionFamily;
import dev.prpf.par.vision.VisionConfig.VisionTokens;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the vision encoder and the image tokens in a vision-language model's {@code config.json}. Rejects unsupported keys that
 * could change the mathematics, by name.
 *
 * @param vision {@code vision_config}
 */
record VisionConfigJson(VisionFamily family, ConfigObject keys, ConfigObject vision) {
    static final String TEXT_CONFIG = "text_config";
    static final String VISION_CONFIG = "vision_config";
    private static final String IMAGE = "image_token_id";
    private static final String VIDEO = "video_token_id";
    private static final String START = "vision_start_token_id";
    private static final String END = "vision_end_token_id";
    private static final String WINDOW = "window_size";
    private static final String WHOLE_BLOCKS = "fullatt_block_indexes";

    /** Keys without effect: the type, and settings of video frames, which images do not have. */
    private static final Set<String> IGNORED = Set.of("model_type", "tokens_per_second");

    /** Reads the vision encoder of a model, or null if it has none. */
    static @Nullable VisionConfig read(String file, JsonNode root, DecoderConfig decoder) {
        ConfigObject keys = ConfigObject.root(file, root);
        VisionFamily family = VisionFamily.of(keys.text("model_type")).orElse(null);
        if (family == null || !keys.has(VISION_CONFIG)) {
            return null;
        }
        return new VisionConfigJson(family, keys, keys.object(VISION_CONFIG)).read(decoder);
    }

    private VisionConfig read(DecoderConfig decoder) {
        refuse();
        try {
            VisionConfig config = family == VisionFamily.QWEN3_5 ? qwen35() : qwen25();
            vision.refuseUnread(IGNORED);
            config.parameterCount(); // fails here with the file's name if sizes overflow
            requireFit(keys, config, decoder);
            return config;
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw vision.refused(VISION_CONFIG + ": " + e.getMessage());
        }
    }

    private VisionConfig qwen35() {
        return new VisionConfig(
                vision.whole("depth", 27),
                vision.whole("hidden_size", 1152),
                vision.whole("intermediate_size", 4304),
                vision.whole("num_heads", 16),
                vision.whole("patch_size", 16),
                vision.whole("num_position_embeddings", 2304),
                vision.whole("out_hidden_size", 3584),
                theta(),
                tokens(248_056, 248_057, 248_053, 248_054));
    }

    private VisionConfig qwen25() {
        int patch = vision.whole("patch_size", 14);
        requireNumber("spatial_patch_size", patch);
        requireNumber("in_chans", VisionConfig.CHANNELS);
        return new VisionConfig(
                family,
                vision.whole("depth", 32),
                vision.whole("hidden_size", 3584),
                vision.whole("intermediate_size", 3420),
                vision.whole("num_heads", 16),
                patch,
                0,
                vision.whole(WINDOW, 112),
                vision.value(WHOLE_BLOCKS).isMissingNode() ? List.of(7, 15, 23, 31) : vision.tokens(WHOLE_BLOCKS),
                vision.whole("out_hidden_size", 3584),
                theta(),
                tokens(151_655, 151_656, 151_652, 151_653));
    }

    private VisionTokens tokens(int image, int video, int start, int end) {
        return new VisionTokens(
                keys.whole(IMAGE, image), keys.whole(VIDEO, video), keys.whole(START, start), keys.whole(END, end));
    }

    private double theta() {
        ConfigObject rope = vision.object("rope_parameters");
        rope.only("rope_type", "axial");
        double theta = rope.number("rope_theta", vision.number("rope_theta", 10_000));
        rope.refuseUnread(Set.of());
        return theta;
    }

    private static String activation(VisionFamily family) {
        return family == VisionFamily.QWEN3_5 ? "gelu_pytorch_tanh" : "silu";
    }

    private void refuse() {
        vision.only("hidden_act", activation(family));
        requireNumber("in_channels", VisionConfig.CHANNELS);
        requireNumber("temporal_patch_size", VisionConfig.FRAMES);
        requireNumber("spatial_merge_size", VisionConfig.MERGE);
        if (vision.has("deepstack_visual_indexes")) {
            throw vision.refused(
                    "deepstack_visual_indexes",
                    "must be empty: features within the decoder's layers are not supported");
        }
    }

    private void requireNumber(String key, int supported) {
        if (vision.whole(key, supported) != supported) {
            throw vision.refused(key, "only " + supported + " is supported");
        }
    }

    private static void requireFit(ConfigObject keys, VisionConfig config, DecoderConfig decoder) {
        if (config.outHiddenSize() != decoder.hiddenSize()) {
            throw keys.refused(VISION_CONFIG + ".out_hidden_size = " + config.outHiddenSize()
                    + " must be the decoder's hidden_size = " + decoder.hiddenSize());
        }
        if (config.tokens().image() >= decoder.vocabularySize()) {
            throw keys.refused(IMAGE, "must be a token of the vocabulary of " + decoder.vocabularySize());
        }
        if (decoder.attention().ropeSections().isEmpty()) {
            throw keys.refused(
                    TEXT_CONFIG + ".rope_parameters.mrope_section is missing: a vision-language model needs rotary"
                            + " sections for three position axes");
        }
    }

    /** Wraps the configuration of a text model into one of a vision-language model. */
    static ObjectNode write(ObjectNode text, VisionConfig config) {
        ObjectNode root = text.objectNode();
        root.putArray("architectures").add(config.family().architecture());
        root.put("model_type", config.family().modelType());
        root.set("dtype", text.path("dtype"));
        root.set("tie_word_embeddings", text.path("tie_word_embeddings"));
        root.put(IMAGE, config.tokens().image());
        root.put(VIDEO, config.tokens().video());
        root.put(START, config.tokens().start());
        root.put(END, config.tokens().end());
        text.remove("architectures");
        root.set(TEXT_CONFIG, text);
        root.set(VISION_CONFIG, vision(text, config));
        return root;
    }

    private static ObjectNode vision(ObjectNode factory, VisionConfig config) {
        ObjectNode vision = factory.objectNode();
        vision.put("model_type", config.family().modelType() + "_vision");
        vision.put("depth", config.depth());
        vision.put("hidden_size", config.hiddenSize());
        vision.put("intermediate_size", config.intermediateSize());
        vision.put("num_heads", config.heads());
        vision.put("out_hidden_size", config.outHiddenSize());
        vision.put("hidden_act", activation(config.family()));
        vision.put("in_channels", VisionConfig.CHANNELS);
        vision.put("patch_size", config.patchSize());
        vision.put("temporal_patch_size", VisionConfig.FRAMES);
        vision.put("spatial_merge_size", VisionConfig.MERGE);
        vision.put("initializer_range", 0.02);
        vision.putObject("rope_parameters").put("rope_type", "axial").put("rope_theta", config.ropeTheta());
        if (config.family() == VisionFamily.QWEN3_5) {
            vision.put("num_position_embeddings", config.positionEmbeddings());
        } else {
            vision.put(WINDOW, config.windowSize());
            config.wholeBlocks().forEach(vision.putArray(WHOLE_BLOCKS)::add);
        }
        return vision;
    }
}
