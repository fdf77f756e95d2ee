package dev.prpf.par.engine;

import java.util.List;

/**
 * The kinds of decoder that one network computes, and their differences. All have RMS norms, rotary positions, grouped-query attention and a gated
 * feed-forward layer; names are Hugging Face's.
 */
public enum DecoderFamily {
    /** Llama models and SmolLM2 models. */
    LLAMA("llama", "LlamaForCausalLM"),
    /** Qwen2.5 models, text only. */
    QWEN2("qwen2", "Qwen2ForCausalLM", Trait.ATTENTION_BIAS),
    /** Qwen2.5-VL, its text model. */
    QWEN2_5_VL("qwen2_5_vl_text", "Qwen2_5_VLTextModel", Trait.ATTENTION_BIAS, Trait.POSITION_AXES),
    /** Qwen3 models, dense only. */
    QWEN3("qwen3", "Qwen3ForCausalLM", Trait.HEAD_NORMS),
    /** Qwen3.5, its text model; it has gated delta-net layers too. */
    QWEN3_5(
            "qwen3_5_text",
            "Qwen3_5ForCausalLM",
            Trait.HEAD_NORMS,
            Trait.OUTPUT_GATE,
            Trait.OFFSET_NORMS,
            Trait.POSITION_AXES,
            Trait.INTERLEAVED_AXES),
    /** Gemma 3, its text model; most of its layers have a sliding window and a rotary base of their own. */
    GEMMA3(
            "gemma3_text",
            "Gemma3ForCausalLM",
            Trait.HEAD_NORMS,
            Trait.OFFSET_NORMS,
            Trait.POST_NORMS,
            Trait.GELU,
            Trait.SCALED_EMBEDDING);

    private final String modelType;
    private final String architecture;

    @SuppressWarnings("ImmutableEnumChecker") // List.of is
    private final List<Trait> traits;

    /** The differences of a family's layers from a Llama's. */
    private enum Trait {
        /** Biases on query, key and value. */
        ATTENTION_BIAS,
        /** A norm over each head of query and key. */
        HEAD_NORMS,
        /** The output of attention is multiplied by a sigmoid gate, projected together with the query. */
        OUTPUT_GATE,
        /** Norms are stored as their difference from 1, except the norm inside a delta-net layer. */
        OFFSET_NORMS,
        /** Further norms follow attention and the feed-forward layer, before the residual is added. */
        POST_NORMS,
        /** The gate's activation is GELU in its tanh form instead of SiLU. */
        GELU,
        /** Embeddings are multiplied by the root of their width. */
        SCALED_EMBEDDING,
        /** Positions may have three axes: the decoder may read features of images. */
        POSITION_AXES,
        /** The pairs that the axes rotate alternate; else each axis rotates adjacent pairs. */
        INTERLEAVED_AXES
    }

    DecoderFamily(String modelType, String architecture, Trait... traits) {
        this.modelType = modelType;
        this.architecture = architecture;
        this.traits = List.of(traits);
    }

    /** Returns the {@code model_type} of config.json. */
    public String modelType() {
        return modelType;
    }

    /** Returns the class in {@code architectures} of config.json. */
    public String architecture() {
        return architecture;
    }

    /** Returns whether query, key and value have biases. */
    public boolean attentionBias() {
        return traits.contains(Trait.ATTENTION_BIAS);
    }

    boolean headNorms() {
        return traits.contains(Trait.HEAD_NORMS);
    }

    /** Returns whether the output of attention is multiplied by a sigmoid gate. */
    public boolean outputGate() {
        return traits.contains(Trait.OUTPUT_GATE);
    }

    int normOffset() {
        return traits.contains(Trait.OFFSET_NORMS) ? 1 : 0;
    }

    boolean postNorms() {
        return traits.contains(Trait.POST_NORMS);
    }

    /** Returns whether positions may have three axes, so that the decoder may read features of images. */
    public boolean positionAxes() {
        return traits.contains(Trait.POSITION_AXES);
    }

    /** Returns whether the pairs that the axes rotate alternate. */
    public boolean interleavedAxes() {
        return traits.contains(Trait.INTERLEAVED_AXES);
    }

    boolean gelu() {
        return traits.contains(Trait.GELU);
    }

    double embeddingScale(int width) {
        return traits.contains(Trait.SCALED_EMBEDDING) ? Math.sqrt(width) : 1;
    }
}
