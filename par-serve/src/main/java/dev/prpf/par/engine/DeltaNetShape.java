package dev.prpf.par.engine;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.par.engine.DecoderConfig.Mixer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The gated delta-net of a decoder's linear layers; names follow config.json.
 *
 * @param keyHeads {@code linear_num_key_heads}, a divisor of valueHeads
 * @param valueHeads {@code linear_num_value_heads}
 * @param keyDim {@code linear_key_head_dim}
 * @param valueDim {@code linear_value_head_dim}
 * @param kernel {@code linear_conv_kernel_dim}, the positions one convolution sees
 */
public record DeltaNetShape(int keyHeads, int valueHeads, int keyDim, int valueDim, int kernel) implements Mixer {
    public DeltaNetShape {
        require(keyHeads > 0, "linear_num_key_heads", keyHeads, "positive");
        require(valueHeads > 0, "linear_num_value_heads", valueHeads, "positive");
        require(keyDim > 0, "linear_key_head_dim", keyDim, "positive");
        require(valueDim > 0, "linear_value_head_dim", valueDim, "positive");
        require(kernel >= 2, "linear_conv_kernel_dim", kernel, "at least 2");
        String multiple = "a multiple of linear_num_key_heads = " + keyHeads;
        require(valueHeads % keyHeads == 0, "linear_num_value_heads", valueHeads, multiple);
    }

    @Override
    public Mixer.Kind kind() {
        return Mixer.Kind.LINEAR_ATTENTION;
    }

    @Override
    public String module() {
        return "linear_attn";
    }

    @Override
    public Map<String, long[]> parameters(DecoderFamily family, int width) {
        Map<String, long[]> shapes = new LinkedHashMap<>();
        shapes.put("in_proj_qkv.weight", new long[] {channels(), width});
        shapes.put("in_proj_z.weight", new long[] {valueWidth(), width});
        shapes.put("in_proj_b.weight", new long[] {valueHeads, width});
        shapes.put("in_proj_a.weight", new long[] {valueHeads, width});
        shapes.put("conv1d.weight", new long[] {channels(), 1, kernel});
        shapes.put("A_log", new long[] {valueHeads});
        shapes.put("dt_bias", new long[] {valueHeads});
        shapes.put("norm.weight", new long[] {valueDim});
        shapes.put("out_proj.weight", new long[] {width, valueWidth()});
        return shapes;
    }

    /** Returns a fixed size, in float32. */
    @Override
    public long cacheBytes(int positions, int activationBytes) {
        return Float.BYTES * ((kernel - 1L) * channels() + (long) valueHeads * keyDim * valueDim);
    }

    /**
     * Returns the operations of the convolution and of the delta rule, token by token. The rule has a state's value for a key, its update, and its value for a
     * query. Chunks of tokens are computed otherwise, with more operations and less latency.
     */
    @Override
    public double flops(int begin, int tokens) {
        double states = 3.0 * valueHeads * keyDim * valueDim;
        return 2.0 * tokens * ((double) channels() * kernel + states);
    }

    /** Returns the channels of the convolution: all queries, all keys, all values. */
    public int channels() {
        return Math.addExact(Math.multiplyExact(2, Math.multiplyExact(keyHeads, keyDim)), valueWidth());
    }

    int valueWidth() {
        return Math.multiplyExact(valueHeads, valueDim);
    }
}
