package dev.prpf.par.engine;

import java.util.Map;

/** The part of a decoder layer that mixes positions. */
public sealed interface Mixer permits AttentionShape, DeltaNetShape {
    /** Returns the name in config.json's {@code layer_types}. */
    LayerKind kind();

    /** Returns the module of its parameters in a layer: {@code self_attn}. */
    String module();

    /**
     * Returns its parameters' names below the module and their shapes, in the order of the TorchScript text.
     *
     * @param width D
     */
    Map<String, long[]> parameters(DecoderFamily family, int width);

    /**
     * Returns the bytes of one sequence's cache.
     *
     * @param positions of the sequence
     * @param activationBytes of a key's or value's element
     */
    long cacheBytes(int positions, int activationBytes);

    /**
     * Returns the floating-point operations without its matrices, two per multiply-add.
     *
     * @param begin number of tokens before the fed ones
     * @param tokens number of tokens fed
     */
    double flops(int begin, int tokens);
}
