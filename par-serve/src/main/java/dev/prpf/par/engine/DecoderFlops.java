package dev.prpf.par.engine;

/**
 * Floating-point operations of a decoder's forward passes, two a multiply-add as in PRPF eq. 31, whose first term, twice the parameters a
 * token, is the same for large models. It departs from eq. 31 where it knows better: the embedding is looked up, only tokens whose logits are
 * wanted go through the head, a query sees the positions up to its own (eq. 31 lets each see all), attention has the width of its heads, and
 * layers with a window or with states count as such. Norms, rotary turns, softmax and activations do not count, as such counts are made.
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
     * Operations of tokens that are fed behind others, of one sequence.
     *
     * @param begin tokens before them
     * @param tokens that are fed
     * @param outputs of these whose logits are wanted
     */
    public double of(int begin, int tokens, int outputs) {
        double mixing = config.mixers().stream()
                .mapToDouble(mixer -> mixer.flops(begin, tokens))
                .sum();
        return tokens * token + mixing + outputs * output;
    }

    /** Weights of all matrices that a token whose logits are wanted goes through. */
    public long matrixWeights() {
        return Math.round((token + output) / 2);
    }

    /** The sum of the positions that queries see, each itself and those before it, at most {@code window}. */
    static double seen(int begin, int tokens, int window) {
        return seenUpTo(begin + tokens, window) - seenUpTo(begin, window);
    }

    private static double seenUpTo(long end, long window) {
        long growing = Math.min(end, window);
        return growing * (growing + 1) / 2.0 + (double) (end - growing) * window;
    }
}
