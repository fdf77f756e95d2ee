package dev.prpf.par.engine;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.par.engine.DecoderConfig.Mixer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Softmax attention with grouped queries and rotary positions.
 *
 * @param heads N, query heads
 * @param keyValueHeads K, a divisor of N
 * @param headDim H, even
 * @param rotaryDim R, number of a head's first values that are rotated; even, at most H
 * @param ropeTheta the rotary base
 * @param ropeScaling scaling of its angles for more positions
 * @param ropeSections pairs of values that each of three position axes rotates (M-RoPE, Qwen2-VL, arXiv:2409.12191); empty for one axis
 * @param window number of positions that a query sees, itself included; 0 for all
 * @param scale of the scores; 1 / sqrt(H) in most families
 */
public record AttentionShape(
        int heads,
        int keyValueHeads,
        int headDim,
        int rotaryDim,
        double ropeTheta,
        RotaryScaling ropeScaling,
        List<Integer> ropeSections,
        int window,
        double scale)
        implements Mixer {
    /** Time, height and width. */
    static final int AXES = 3;

    public AttentionShape {
        require(heads > 0, "num_attention_heads", heads, "positive");
        require(keyValueHeads > 0, "num_key_value_heads", keyValueHeads, "positive");
        require(headDim > 0, "head_dim", headDim, "positive");
        String multiple = "a multiple of num_key_value_heads = " + keyValueHeads;
        require(heads % keyValueHeads == 0, "num_attention_heads", heads, multiple);
        require(headDim % 2 == 0, "head_dim", headDim, "even: rotary positions turn pairs");
        if (rotaryDim < 2 || rotaryDim > headDim || rotaryDim % 2 != 0) {
            throw new IllegalArgumentException("partial_rotary_factor gives " + rotaryDim + " of head_dim = " + headDim
                    + " values to turn; they must be even in number and between 2 and all");
        }
        require(ropeTheta > 0, "rope_theta", ropeTheta, "positive");
        boolean divides = ropeTheta > 1 && ropeTheta < Double.POSITIVE_INFINITY;
        boolean yarn = ropeScaling instanceof RotaryScaling.Yarn;
        require(divides || !yarn, "rope_theta", ropeTheta, "above 1 and finite where rope_type is yarn");
        ropeSections = List.copyOf(ropeSections);
        int turned = ropeSections.stream().mapToInt(section -> section).sum();
        boolean sections = ropeSections.size() == AXES && turned == rotaryDim / 2;
        require(
                ropeSections.isEmpty() || sections,
                "mrope_section",
                ropeSections,
                "3 numbers whose sum is " + rotaryDim / 2);
        require(window >= 0, "sliding_window", window, "positive");
        require(scale > 0 && Double.isFinite(scale), "query_pre_attn_scalar", scale, "positive");
    }

    /** Creates attention over all earlier positions, with one position axis and scores over the root of H. */
    public AttentionShape(
            int heads, int keyValueHeads, int headDim, int rotaryDim, double ropeTheta, RotaryScaling ropeScaling) {
        this(heads, keyValueHeads, headDim, rotaryDim, ropeTheta, ropeScaling, List.of(), 0, 1 / Math.sqrt(headDim));
    }

    @Override
    public Mixer.Kind kind() {
        return window > 0 ? Mixer.Kind.SLIDING_ATTENTION : Mixer.Kind.FULL_ATTENTION;
    }

    @Override
    public String module() {
        return "self_attn";
    }

    @Override
    public Map<String, long[]> parameters(DecoderFamily family, int width) {
        int query = Math.multiplyExact(heads, headDim);
        int keyValue = Math.multiplyExact(keyValueHeads, headDim);
        Map<String, long[]> shapes = new LinkedHashMap<>();
        shapes.put("q_proj.weight", new long[] {family.outputGate() ? 2L * query : query, width});
        shapes.put("k_proj.weight", new long[] {keyValue, width});
        shapes.put("v_proj.weight", new long[] {keyValue, width});
        if (family.attentionBias()) {
            shapes.put("q_proj.bias", new long[] {query});
            shapes.put("k_proj.bias", new long[] {keyValue});
            shapes.put("v_proj.bias", new long[] {keyValue});
        }
        if (family.headNorms()) {
            shapes.put("q_norm.weight", new long[] {headDim});
            shapes.put("k_norm.weight", new long[] {headDim});
        }
        shapes.put("o_proj.weight", new long[] {width, query});
        return shapes;
    }

    @Override
    public long cacheBytes(int positions, int activationBytes) {
        return 2L * keyValueHeads * headDim * positions * activationBytes;
    }

    /** Returns the operations of a query-key score, and of the score times a value, for every position that a query sees. */
    @Override
    public double flops(int begin, int tokens) {
        return 4.0 * heads * headDim * DecoderFlops.seen(begin, tokens, window > 0 ? window : Integer.MAX_VALUE);
    }

    /** The rotary table of a layer: layers with equal rotations share one. */
    record Rotation(int width, double theta, RotaryScaling scaling) {}

    Rotation rotation() {
        return new Rotation(rotaryDim, ropeTheta, ropeScaling);
    }

    /**
     * Returns the position axis that rotates each of R values.
     *
     * @param interleaved whether the axes' pairs alternate while their sections last; else one section follows the other
     */
    long[] axes(boolean interleaved) {
        long[] axes = new long[rotaryDim];
        for (int i = 0; i < axes.length && !ropeSections.isEmpty(); i++) {
            int pair = i % (rotaryDim / 2);
            axes[i] = interleaved ? alternating(pair) : section(pair);
        }
        return axes;
    }

    private int alternating(int pair) {
        int axis = pair % AXES;
        return pair < AXES * ropeSections.get(axis) ? axis : 0;
    }

    private int section(int pair) {
        if (pair < ropeSections.get(0)) {
            return 0;
        }
        return pair < ropeSections.get(0) + ropeSections.get(1) ? 1 : 2;
    }

    /** Creates attention that rotates whole heads, without scaling. */
    public static AttentionShape of(int heads, int keyValueHeads, int headDim, double ropeTheta) {
        return new AttentionShape(heads, keyValueHeads, headDim, headDim, ropeTheta, RotaryScaling.none());
    }
}
