package dev.prpf.data.encode.image;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;

/**
 * The shape of a vision encoder from a Hugging Face {@code config.json}; missing keys have transformers' defaults.
 *
 * @param family the network's family
 * @param hidden d, width of a token
 * @param feedForward inner width of a layer's feed-forward part
 * @param heads attention heads; divides d
 * @param imageSize side of the square input image
 * @param patch side of a patch
 * @param width length of the image embedding: CLIP's projection, SigLIP's d
 * @param epsilon epsilon of the layer norms
 * @param activation activation of the feed-forward parts
 */
record ImageEncoderConfig(
        TowerFamily family,
        int hidden,
        int feedForward,
        int layers,
        int heads,
        int imageSize,
        int patch,
        int width,
        float epsilon,
        Activation activation) {
    /** The activations of published vision encoders. */
    enum Activation {
        /** OpenAI's x sigmoid(1.702 x). */
        QUICK_GELU,
        /** LAION's exact x Φ(x). */
        GELU,
        /** SigLIP's 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))). */
        GELU_TANH;

        private static Activation of(String name) {
            return switch (name) {
                case "quick_gelu" -> QUICK_GELU;
                case "gelu" -> GELU;
                case "gelu_pytorch_tanh" -> GELU_TANH;
                default ->
                    throw new IllegalArgumentException("hidden_act = " + name
                            + ", must be quick_gelu, gelu or gelu_pytorch_tanh; other activations are not built");
            };
        }
    }

    ImageEncoderConfig {
        if (heads < 1 || hidden % heads != 0) {
            throw new IllegalArgumentException(
                    "hidden_size = " + hidden + ", num_attention_heads = " + heads + ": heads must divide it");
        }
        boolean tiled =
                family == TowerFamily.SIGLIP || imageSize % Math.max(1, patch) == 0; // SigLIP drops the remainder
        if (patch < 1 || imageSize < patch || !tiled) {
            throw new IllegalArgumentException(
                    "image_size = " + imageSize + ", patch_size = " + patch + ": patches must tile the image");
        }
        if (feedForward < 1 || layers < 1 || width < 1) {
            throw new IllegalArgumentException("intermediate_size = " + feedForward + ", num_hidden_layers = " + layers
                    + ", projection_dim = " + width + ": each must be at least 1");
        }
    }

    /** Returns the tokens of an image: its patches, and CLIP's class token. */
    int tokens() {
        int side = imageSize / patch;
        return side * side + (family == TowerFamily.CLIP ? 1 : 0);
    }

    int headWidth() {
        return hidden / heads;
    }

    /**
     * Reads {@code config.json} of a vision encoder or of a model with one.
     *
     * @param file the file's name for messages
     * @throws PrpfException 65 if the network cannot be built
     */
    static ImageEncoderConfig read(String file, JsonNode root) {
        try {
            String type = root.path("model_type").asText();
            TowerFamily family = TowerFamily.of(type);
            boolean clip = family == TowerFamily.CLIP;
            JsonNode vision = type.equals(family.label()) ? root.path("vision_config") : root;
            if (vision.path("num_channels").asInt(3) != 3) {
                throw new IllegalArgumentException(
                        "num_channels = " + vision.path("num_channels") + ", must be 3 (red, green, blue)");
            }
            if (!vision.path("vision_use_head").asBoolean(true)) {
                throw new IllegalArgumentException("vision_use_head = false: the network gives no vector of an image");
            }
            int hidden = vision.path("hidden_size").asInt(768);
            return new ImageEncoderConfig(
                    family,
                    hidden,
                    vision.path("intermediate_size").asInt(3072),
                    vision.path("num_hidden_layers").asInt(12),
                    vision.path("num_attention_heads").asInt(12),
                    vision.path("image_size").asInt(224),
                    vision.path("patch_size").asInt(clip ? 32 : 16),
                    clip ? root.path("projection_dim").asInt(512) : hidden,
                    (float) vision.path("layer_norm_eps").asDouble(clip ? 1e-5 : 1e-6),
                    Activation.of(vision.path("hidden_act").asText(clip ? "quick_gelu" : "gelu_pytorch_tanh")));
        } catch (IllegalArgumentException e) {
            throw new InvalidDataException(file + ": " + e.getMessage());
        }
    }

    /** Returns the settings that affect embeddings, for ids; CLIP's in the format of the first version, so that ids stay stable. */
    String identity() {
        return family == TowerFamily.CLIP && activation != Activation.GELU_TANH
                ? "ClipVisionConfig[hidden=" + hidden + ", feedForward=" + feedForward + ", layers=" + layers
                        + ", heads=" + heads + ", imageSize=" + imageSize + ", patch=" + patch + ", projection=" + width
                        + ", epsilon=" + epsilon + ", activation=" + activation + "]"
                : toString();
    }
}
