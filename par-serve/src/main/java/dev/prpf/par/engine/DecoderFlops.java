package dev.prpf.par.engine;

/**
 * Counts the floating-point operations of a decoder's forward passes, two per multiply-add, as in PRPF eq. 31. Its first term, twice the parameters
 * per token, agrees for large models. Here the embedding is a lookup, and only tokens with requested logits go through the head. A query sees the
 * positions up to its own (in eq. 31, all). Attention has the width of its heads; windows and states count as such. Norms, rotations, softmax and
 * activations do not count.
 */
public final class DecoderFlops {
    private final DecoderConfig config;
    private final double token;
    private final double output;

    public DecoderFlops(DecoderConfig config) {
        this.config = config;
        token = 2.0 * LayerMatrices.of(config).all();
        output = 2.0 * config.vocabularySize() * config.hiddenSize();
    }

    /**
     * Returns the operations of tokens that follow others of one sequence.
     *
     * @param begin number of tokens before them
     * @param tokens number of tokens fed
     * @param outputs number of these with requested logits
     */
    public double of(int begin, int tokens, int outputs) {
        double mixing = config.mixers().stream()
                .mapToDouble(mixer -> mixer.flops(begin, tokens))
                .sum();
        return tokens * token + mixing + outputs * output;
    }

    /** Returns the weights of all matrices on the path of a token with requested logits. */
    public long matrixWeights() {
        return Math.round((token + output) / 2);
    }

    /** Returns the sum of the positions that queries see, each itself and those before it, at most {@code window}. */
    static double seen(int begin, int tokens, int window) {
        return seenUpTo(begin + tokens, window) - seenUpTo(begin, window);
    }

    private static double seenUpTo(long end, long window) {
        long growing = Math.min(end, window);
        return growing * (growing + 1) / 2.0 + (double) (end - growing) * window;
    }
}
