package dev.prpf.par.engine;

/**
 * A {@link CausalLm} before it is made, and what it takes beside the weights it is made from.
 *
 * @param config of the decoder
 * @param precision of its matrices
 * @param kernel what it multiplies with
 */
public record FusedShape(DecoderConfig config, Precision precision, MatmulKernel kernel) {
    /** The decoder that {@link CausalLm#of(DecoderWeights, Precision)} makes here. */
    public static FusedShape of(DecoderConfig config, Precision precision) {
        return new FusedShape(config, precision, MatmulKernel.here(precision, config.deltaNet() != null));
    }

    /** One that multiplies as training does. */
    public static FusedShape linear(DecoderConfig config, Precision precision) {
        return new FusedShape(config, precision, MatmulKernel.LINEAR);
    }

    /** Bytes of an activation, attention's keys and values among them. */
    public int activationBytes() {
        return kernel.activations(precision).weightBytes();
    }

    /** Bytes of its own; in float32 the embedding is shared with the weights and, where the kernel lays nothing out, whatever no norm is multiplied into. */
    public long bytes() {
        LayerMatrices matrices = LayerMatrices.of(config);
        long embedding = (long) config.vocabularySize() * config.hiddenSize();
        if (precision == Precision.FP32) {
            return Float.BYTES * (kernel == MatmulKernel.ONEDNN_FP32 ? matrices.all() + embedding : matrices.normed());
        }
        boolean sharedHead = config.tiedEmbeddings() && kernel == MatmulKernel.LINEAR;
        return precision.weightBytes() * (matrices.all() + (sharedHead ? 1 : 2) * embedding);
    }
}
