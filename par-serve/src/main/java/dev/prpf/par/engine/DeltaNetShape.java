package dev.prpf.par.engine;

/**
 * The gated delta-net of a decoder's linear layers; names follow config.json.
 *
 * @param keyHeads {@code linear_num_key_heads}, a divisor of valueHeads
 * @param valueHeads {@code linear_num_value_heads}
 * @param keyDim {@code linear_key_head_dim}
 * @param valueDim {@code linear_value_head_dim}
 * @param kernel {@code linear_conv_kernel_dim}, the positions one convolution sees
 */
public record DeltaNetShape(int keyHeads, int valueHeads, int keyDim, int valueDim, int kernel) {
    public DeltaNetShape {
        DecoderConfig.positive("linear_num_key_heads", keyHeads);
        DecoderConfig.positive("linear_num_value_heads", valueHeads);
        DecoderConfig.positive("linear_key_head_dim", keyDim);
        DecoderConfig.positive("linear_value_head_dim", valueDim);
        if (kernel < 2) {
            throw new IllegalArgumentException("linear_conv_kernel_dim = " + kernel + " must be at least 2");
        }
        if (valueHeads % keyHeads != 0) {
            throw new IllegalArgumentException("linear_num_value_heads = " + valueHeads
                    + " must be a multiple of linear_num_key_heads = " + keyHeads);
        }
    }

    /** Channels of the convolution: all queries, all keys, all values. */
    public int channels() {
        return Math.addExact(Math.multiplyExact(2, Math.multiplyExact(keyHeads, keyDim)), valueWidth());
    }

    /** Width of all values together. */
    int valueWidth() {
        return Math.multiplyExact(valueHeads, valueDim);
    }
}
