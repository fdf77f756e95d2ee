package dev.prpf.par.engine;

import static dev.prpf.base.config.Rule.require;

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
    }

    /** The whole head turns, and nothing is stretched. */
    public static AttentionShape of(int heads, int keyValueHeads, int headDim, double ropeTheta) {
        return new AttentionShape(heads, keyValueHeads, headDim, headDim, ropeTheta, RotaryScaling.none());
    }
}
