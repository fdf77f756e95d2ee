package dev.prpf.par.vision;

import dev.prpf.par.engine.DecoderFamily;
import java.util.Optional;
import java.util.stream.Stream;

/** The supported families of vision-language models and their differences; names are Hugging Face's. */
public enum VisionFamily {
    /** Learned positions, layer norms, a feed-forward layer with GELU, attention over whole images. */
    QWEN3_5("qwen3_5", "Qwen3_5ForConditionalGeneration", DecoderFamily.QWEN3_5),
    /** RMS norms, a gated feed-forward layer, attention within windows in most blocks (Qwen2.5-VL, arXiv:2502.13923). */
    QWEN2_5_VL("qwen2_5_vl", "Qwen2_5_VLForConditionalGeneration", DecoderFamily.QWEN2_5_VL);

    private final String modelType;
    private final String architecture;
    private final DecoderFamily decoder;

    VisionFamily(String modelType, String architecture, DecoderFamily decoder) {
        this.modelType = modelType;
        this.architecture = architecture;
        this.decoder = decoder;
    }

    /** Finds the family by {@code model_type} of config.json; empty for a text model. */
    public static Optional<VisionFamily> of(String modelType) {
        return Stream.of(values())
                .filter(family -> family.modelType.equals(modelType))
                .findFirst();
    }

    /** Returns the {@code model_type} of config.json. */
    public String modelType() {
        return modelType;
    }

    /** Returns the class in {@code architectures} of config.json. */
    public String architecture() {
        return architecture;
    }

    /** Returns the text model that reads the features. */
    public DecoderFamily decoder() {
        return decoder;
    }

    boolean learnedPositions() {
        return this == QWEN3_5;
    }

    boolean layerNorms() {
        return this == QWEN3_5;
    }

    boolean gated() {
        return this == QWEN2_5_VL;
    }
}
