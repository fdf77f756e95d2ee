package dev.prpf.par.generate;

/**
 * The cost of one sequence. Does not include the numbers of prompt tokens and new tokens.
 *
 * @param cachedTokens prompt tokens from the prefix cache; they went through no pass
 * @param passes forward passes of the sequence
 * @param prefill passes with prompt tokens; the last of them gives the first new token
 * @param decode all later passes
 */
public record GenerationCost(int cachedTokens, int passes, Phase prefill, Phase decode) {
    /** The cost of a sequence without passes. */
    public static final GenerationCost NONE = new GenerationCost(0, 0, Phase.NONE, Phase.NONE);

    /**
     * The cost of some passes.
     *
     * @param flops floating-point operations of the sequence's tokens, rejected guesses included ({@link dev.prpf.par.engine.DecoderFlops})
     * @param seconds its share of the passes' wall clock, in proportion to the tokens of each sequence
     */
    public record Phase(double flops, double seconds) {
        static final Phase NONE = new Phase(0, 0);

        Phase plus(double moreFlops, double moreSeconds) {
            return new Phase(flops + moreFlops, seconds + moreSeconds);
        }
    }

    GenerationCost withCached(int tokens) {
        return new GenerationCost(tokens, passes, prefill, decode);
    }

    GenerationCost withPass(boolean reads, double flops, double seconds) {
        return reads
                ? new GenerationCost(cachedTokens, passes + 1, prefill.plus(flops, seconds), decode)
                : new GenerationCost(cachedTokens, passes + 1, prefill, decode.plus(flops, seconds));
    }
}
