package dev.prpf.par.engine;

/**
 * The attention of a decoder's full layers.
 *
 * @param heads N, query heads
 * @param keyValueHeads K, a divisor of N
 * @param headDim H, even
 * @param rotaryDim R, how many of a head's values the position turns, from the first; even, at most H
 * @param ropeTheta the rotary base
 * @param ropeScaling how its angles are stretched over more positions
 */
public record AttentionShape(
        int heads, int keyValueHeads, int headDim, int rotaryDim, double ropeTheta, RotaryScaling ropeScaling) {
    public AttentionShape {
        DecoderConfig.positive("num_attention_heads", heads);
        DecoderConfig.positive("num_key_value_heads", keyValueHeads);
        DecoderConfig.positive("head_dim", headDim);
        if (heads % keyValueHeads != 0) {
            throw new IllegalArgumentException(
                    "num_attention_heads = " + heads + " must be a multiple of num_key_value_heads = " + keyValueHeads);
        }
        if (headDim % 2 != 0) {
            throw new IllegalArgumentException("head_dim = " + headDim + " must be even: rotary positions turn pairs");
        }
        if (rotaryDim < 2 || rotaryDim > headDim || rotaryDim % 2 != 0) {
            throw new IllegalArgumentException("partial_rotary_factor gives " + rotaryDim + " of head_dim = " + headDim
                    + " values to turn; they must be even in number and between 2 and all");
        }
        if (!(ropeTheta > 0)) {
            throw new IllegalArgumentException("rope_theta = " + ropeTheta + " must be positive");
        }
        if (ropeScaling instanceof RotaryScaling.Yarn && !(ropeTheta > 1 && ropeTheta < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "rope_theta = " + ropeTheta + " must be above 1 and finite where rope_type is yarn");
        }
    }

    /** The whole head turns, and nothing is stretched. */
    public static AttentionShape of(int heads, int keyValueHeads, int headDim, double ropeTheta) {
        return new AttentionShape(heads, keyValueHeads, headDim, headDim, ropeTheta, RotaryScaling.none());
    }
}
