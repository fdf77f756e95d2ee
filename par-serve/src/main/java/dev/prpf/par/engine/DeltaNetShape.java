package dev.prpf.par.engine;

import static dev.prpf.base.config.Rule.require;

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
        require(keyHeads > 0, "linear_num_key_heads", keyHeads, "positive");
        require(valueHeads > 0, "linear_num_value_heads", valueHeads, "positive");
        require(keyDim > 0, "linear_key_head_dim", keyDim, "positive");
        require(valueDim > 0, "linear_value_head_dim", valueDim, "positive");
        require(kernel >= 2, "linear_conv_kernel_dim", kernel, "at least 2");
        String multiple = "a multiple of linear_num_key_heads = " + keyHeads;
        require(valueHeads % keyHeads == 0, "linear_num_value_heads", valueHeads, multiple);
    }

    /** Channels of the convolution: all queries, all keys, all values. */
    public int channels() {
        return Math.addExact(Math.multiplyExact(2, Math.multiplyExact(keyHeads, keyDim)), valueWidth());
    }

    int valueWidth() {
        return Math.multiplyExact(valueHeads, valueDim);
    }
}
