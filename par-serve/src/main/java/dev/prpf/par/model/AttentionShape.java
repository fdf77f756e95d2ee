package dev.prpf.par.model;

/**
 * The attention of a decoder's full layers.
 *
 * @param heads N, query heads
 * @param keyValueHeads K, a divisor of N
 * @param headDim H, even
 * @param rotaryDim R, how many of a head's values the position turns, from the first; even, at most H
 * @param ropeTheta the rotary base
 */
public record AttentionShape(int heads, int keyValueHeads, int headDim, int rotaryDim, double ropeTheta) {
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
    }

    /** The whole head turns. */
    public static AttentionShape of(int heads, int keyValueHeads, int headDim, double ropeTheta) {
        return new AttentionShape(heads, keyValueHeads, headDim, headDim, ropeTheta);
    }
}
