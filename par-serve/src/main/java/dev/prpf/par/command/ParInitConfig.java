package dev.prpf.par.command;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.base.config.Defaults;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderConfig.SpecialTokens;
import dev.prpf.par.engine.DecoderFamily;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.tokenizer.BpeTraining;
import java.util.List;

/**
 * The configuration of {@code reasoner init}.
 *
 * @param valueCount a parameter's value with at least this many uses in answers becomes one token; 0 for none
 * @param model the decoder's shape; its vocabulary follows from the tokenizer
 * @param seed of the random weights
 */
@Defaults("/configs/reasoner-init.yaml")
public record ParInitConfig(BpeTraining.Settings tokenizer, int valueCount, Shape model, long seed) {
    public ParInitConfig {
        require(valueCount >= 0, "value-count", valueCount, "0 or more");
    }

    /**
     * The shape of a Llama-type decoder.
     *
     * @param hiddenSize width D of the decoder
     * @param intermediateSize width of the feed-forward layers
     * @param layers number of decoder layers
     * @param heads query heads; D is a multiple of it
     * @param keyValueHeads heads of keys and values, each shared by several query heads; a divisor of heads
     * @param maxPositions longest sequence, prompt and response together
     * @param ropeTheta base of the rotary position embedding
     * @param initializerRange standard deviation of the random weights, as {@link ModelInit.Scale}
     * @param copyingGain how strongly an untrained head copies what it attends to, as {@link ModelInit.Scale}; 0 for purely random weights
     */
    public record Shape(
            int hiddenSize,
            int intermediateSize,
            int layers,
            int heads,
            int keyValueHeads,
            int maxPositions,
            double ropeTheta,
            double initializerRange,
            double copyingGain) {
        private static final double NORM_EPSILON = 1e-5;
        /** Vocabularies are rounded up to a multiple of this number of rows. */
        private static final int ROWS = 8;

        public Shape {
            boolean divides = heads > 0 && hiddenSize % heads == 0;
            require(divides, "hidden-size", hiddenSize, "a multiple of heads = " + heads);
            ModelInit.Scale.require(initializerRange, copyingGain);
        }

        ModelInit.Scale scale() {
            return new ModelInit.Scale(initializerRange, copyingGain);
        }

        /** Returns the decoder's shape with tied embeddings, for a tokenizer of this many ids. */
        DecoderConfig decoder(int vocabulary, List<Integer> endTokens, int padToken) {
            int rows = (vocabulary + ROWS - 1) / ROWS * ROWS;
            return new DecoderConfig(
                    DecoderFamily.LLAMA,
                    rows,
                    hiddenSize,
                    intermediateSize,
                    DecoderConfig.fullAttention(layers),
                    AttentionShape.of(heads, keyValueHeads, hiddenSize / heads, ropeTheta),
                    null,
                    maxPositions,
                    NORM_EPSILON,
                    true,
                    new SpecialTokens(null, endTokens, padToken));
        }
    }
}
