package dev.prpf.par.engine;

/**
 * The kinds of decoder that one network computes, and what tells them apart. All have RMS norms, rotary positions, grouped-query attention
 * and SwiGLU; names are Hugging Face's.
 */
public enum DecoderFamily {
    /** Llama and SmolLM2. */
    LLAMA("llama", "LlamaForCausalLM"),
    /** Qwen2.5: a bias on query, key and value. */
    QWEN2("qwen2", "Qwen2ForCausalLM"),
    /** Qwen3, dense: a norm over each head of query and key. */
    QWEN3("qwen3", "Qwen3ForCausalLM"),
    /** Qwen3.5, its text model: as Qwen3, with gated attention, norms stored as their distance from 1, and gated delta-net layers. */
    QWEN3_5("qwen3_5_text", "Qwen3_5ForCausalLM");

    private final String modelType;
    private final String architecture;

    DecoderFamily(String modelType, String architecture) {
        this.modelType = modelType;
        this.architecture = architecture;
    }

    /** {@code model_type} of config.json. */
    public String modelType() {
        return modelType;
    }

    /** The class in {@code architectures} of config.json. */
    public String architecture() {
        return architecture;
    }

    boolean attentionBias() {
        return this == QWEN2;
    }

    boolean headNorms() {
        return this == QWEN3 || this == QWEN3_5;
    }

    /** Whether what attention reads is multiplied by a sigmoid gate, projected beside the query. */
    public boolean outputGate() {
        return this == QWEN3_5;
    }

    /** What is added to a stored norm weight; the norm inside a delta-net layer is stored as it is in every family. */
    int normOffset() {
        return this == QWEN3_5 ? 1 : 0;
    }
}
