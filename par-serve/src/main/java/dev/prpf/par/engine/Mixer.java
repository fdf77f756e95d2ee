package dev.prpf.par.engine;

import java.util.Map;

/** What mixes positions in a decoder layer. */
public sealed interface Mixer permits AttentionShape, DeltaNetShape {
    /** As config.json's {@code layer_types} names it. */
    LayerKind kind();

    /** The module of its parameters in a layer: {@code self_attn}. */
    String module();

    /**
     * Its parameters' names below the module and their shapes, in the order that the TorchScript text takes them.
     *
     * @param width D
     */
    Map<String, long[]> parameters(DecoderFamily family, int width);

    /**
     * Bytes that it remembers of one sequence.
     *
     * @param positions of the sequence
     * @param activationBytes of a key's or value's element
     */
    long cacheBytes(int positions, int activationBytes);

    /**
     * Floating-point operations beyond its matrices, two a multiply-add.
     *
     * @param begin tokens before those that are fed
     * @param tokens that are fed
     */
    double flops(int begin, int tokens);
}
