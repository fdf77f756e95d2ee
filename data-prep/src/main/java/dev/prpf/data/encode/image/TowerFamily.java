package dev.prpf.data.encode.image;

import java.util.Locale;

/** The vision towers that can be built from a Hugging Face directory. */
public enum TowerFamily {
    /** Radford et al. 2021: a class token in front, its vector projected. */
    CLIP,
    /** Zhai et al. 2023: no class token; a learned query attends to all tokens (attention pooling), no projection. */
    SIGLIP;

    /** The family of a {@code model_type}: of a whole model or of its tower alone. */
    static TowerFamily of(String type) {
        return switch (type) {
            case "clip", "clip_vision_model" -> CLIP;
            case "siglip", "siglip_vision_model" -> SIGLIP;
            default ->
                throw new IllegalArgumentException("model_type = \"" + type
                        + "\", must be clip, clip_vision_model, siglip or siglip_vision_model (a vision tower)");
        };
    }

    /** Its name in ids, choices and {@code model_type}. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
