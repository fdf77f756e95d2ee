package dev.prpf.par.generate;

/**
 * What one sequence took. Its prompt and its new tokens are not counted here: the one is the caller's, the other the generation's.
 *
 * @param cachedTokens of the prompt that the prefix cache had; they went through no pass
 * @param passes forward passes that it took part in
 * @param prefill passes that read of its prompt; the last of them gives the first new token
 * @param decode all later ones
 */
public record GenerationCost(int cachedTokens, int passes, Phase prefill, Phase decode) {
    /** Of what went through no pass. */
    public static final GenerationCost NONE = new GenerationCost(0, 0, Phase.NONE, Phase.NONE);

    /**
     * Some passes.
     *
     * @param flops floating-point operations of its own tokens, those of wrong guesses among them ({@link dev.prpf.par.engine.DecoderFlops})
     * @param seconds its share of the passes' wall clock: sequences share a pass by the tokens that each feeds
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
