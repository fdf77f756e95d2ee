package dev.prpf.par.engine;

import java.util.Map;

/** The part of a decoder layer that mixes positions: attention, or a gated delta-net. */
public sealed interface Mixer permits AttentionShape, DeltaNetShape {
    /** The kinds of position mixing in a decoder layer; names are those of {@code layer_types} in config.json. */
    public enum Kind {
        /** Softmax attention over all earlier positions. */
        FULL_ATTENTION,
        /** Softmax attention over the nearest earlier positions. */
        SLIDING_ATTENTION,
        /** The gated delta rule: a state of fixed size for any length. */
        LINEAR_ATTENTION
    }

    /** Returns the name in config.json's {@code layer_types}. */
    Kind kind();

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
