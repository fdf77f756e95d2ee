package dev.prpf.data.encode.image;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;

/**
 * The shape of a CLIP vision tower (Radford et al. 2021), as a Hugging Face {@code config.json} tells it; what it leaves out has
 * transformers' default, which is ViT-B/32.
 *
 * @param hidden d, width of a token
 * @param feedForward inner width of a layer's feed-forward part
 * @param layers Transformer layers
 * @param heads attention heads; divides d
 * @param imageSize side of the square picture it sees
 * @param patch side of a patch; divides the side of the picture
 * @param projection length of the image embedding
 * @param epsilon of the layer norms
 * @param activation of the feed-forward parts
 */
record ClipVisionConfig(
        int hidden,
        int feedForward,
        int layers,
        int heads,
        int imageSize,
        int patch,
        int projection,
        float epsilon,
        Activation activation) {
    /** The activations that published CLIP towers have. */
    enum Activation {
        /** x sigmoid(1.702 x), OpenAI's. */
        QUICK_GELU,
        /** x Φ(x), exact, LAION's. */
        GELU
    }

    ClipVisionConfig {
        if (heads < 1 || hidden % heads != 0) {
            throw new IllegalArgumentException(
                    "hidden_size = " + hidden + ", num_attention_heads = " + heads + ": heads must divide it");
        }
        if (patch < 1 || imageSize < patch || imageSize % patch != 0) {
            throw new IllegalArgumentException(
                    "image_size = " + imageSize + ", patch_size = " + patch + ": patches must tile the picture");
        }
        if (feedForward < 1 || layers < 1 || projection < 1) {
            throw new IllegalArgumentException("intermediate_size = " + feedForward + ", num_hidden_layers = " + layers
                    + ", projection_dim = " + projection + ": each must be at least 1");
        }
    }

    /** Tokens of a picture: its patches and the class token. */
    int tokens() {
        int side = imageSize / patch;
        return side * side + 1;
    }

    int headWidth() {
        return hidden / heads;
    }

    /**
     * Reads {@code config.json} of a {@code CLIPVisionModelWithProjection} or of a whole {@code CLIPModel}.
     *
     * @param file its name, for messages
     * @throws PrpfException 65 if it describes no CLIP vision tower that can be run
     */
    static ClipVisionConfig read(String file, JsonNode root) {
        String type = root.path("model_type").asText();
        boolean whole = type.equals("clip");
        if (!whole && !type.equals("clip_vision_model")) {
            throw new InvalidDataException(
                    file + ": model_type = \"" + type + "\", must be clip or clip_vision_model (a CLIP vision tower)");
        }
        JsonNode vision = whole ? root.path("vision_config") : root;
        if (vision.path("num_channels").asInt(3) != 3) {
            throw new InvalidDataException(
                    file + ": num_channels = " + vision.path("num_channels") + ", must be 3 (red, green, blue)");
        }
        try {
            return new ClipVisionConfig(
                    vision.path("hidden_size").asInt(768),
                    vision.path("intermediate_size").asInt(3072),
                    vision.path("num_hidden_layers").asInt(12),
                    vision.path("num_attention_heads").asInt(12),
                    vision.path("image_size").asInt(224),
                    vision.path("patch_size").asInt(32),
                    root.path("projection_dim").asInt(512),
                    (float) vision.path("layer_norm_eps").asDouble(1e-5),
                    activation(vision.path("hidden_act").asText("quick_gelu")));
        } catch (IllegalArgumentException e) {
            throw new InvalidDataException(file + ": " + e.getMessage());
        }
    }

    private static Activation activation(String name) {
        return switch (name) {
            case "quick_gelu" -> Activation.QUICK_GELU;
            case "gelu" -> Activation.GELU;
            default ->
                throw new IllegalArgumentException(
                        "hidden_act = " + name + ", must be quick_gelu or gelu; other activations are not built");
        };
    }
}
