package dev.prpf.data.encode.image;

import java.util.Locale;

/** The families of vision encoders that can be built from a Hugging Face directory. */
public enum TowerFamily {
    /** The encoder of Radford et al. (2021): the vector of a leading class token is projected. */
    CLIP,
    /** The encoder of Zhai et al. (2023): no class token; a learned query attends to all tokens (attention pooling), no projection. */
    SIGLIP;

    /** Returns the family of a {@code model_type}, of a whole model or of its vision encoder only. */
    static TowerFamily of(String type) {
        return switch (type) {
            case "clip", "clip_vision_model" -> CLIP;
            case "siglip", "siglip_vision_model" -> SIGLIP;
            default ->
                throw new IllegalArgumentException("model_type = \"" + type
                        + "\", must be clip, clip_vision_model, siglip or siglip_vision_model (a vision encoder)");
        };
    }

    /** Returns the name in ids, choices and {@code model_type}. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
