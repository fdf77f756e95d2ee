package dev.prpf.par.command;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.base.config.Defaults;
import dev.prpf.data.encode.spec.VisionPreprocessing;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderConfig.Mixer;
import dev.prpf.par.engine.DecoderConfig.SpecialTokens;
import dev.prpf.par.engine.DecoderFamily;
import dev.prpf.par.engine.DeltaNetShape;
import dev.prpf.par.engine.RotaryScaling;
import dev.prpf.par.tokenizer.BpeTraining;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionConfig.VisionTokens;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The configuration of {@code reasoner init --vision}: a model of Qwen3.5's layout.
 *
 * @param valueCount as {@link ParInitConfig}
 * @param model the text decoder's shape; its vocabulary follows from the tokenizer
 * @param fullAttentionInterval every n-th layer has softmax attention, the others a gated delta-net: 4 as published, 1 for no delta-net
 * @param vision shape of the vision encoder, and size of resized images
 * @param seed of the random weights
 */
@Defaults(value = "/configs/reasoner-init-vision.yaml", except = "vision")
public record ParInitVisionConfig(
        BpeTraining.Settings tokenizer,
        int valueCount,
        ParInitConfig.Shape model,
        int fullAttentionInterval,
        Tower vision,
        long seed) {
    private static final int PATCH = 16;
    private static final int KERNEL = 4;
    private static final double NORM_EPSILON = 1e-6;

    public ParInitVisionConfig {
        require(
                fullAttentionInterval >= 1 && fullAttentionInterval <= model.layers(),
                "full-attention-interval",
                fullAttentionInterval,
                "1 to layers = " + model.layers());
        int head = model.hiddenSize() / model.heads();
        boolean turns = head % 2 == 0 && head >= 6; // a pair for each of the three axes
        require(turns, "hidden-size", model.hiddenSize(), "heads times an even number of 6 or more");
    }

    /**
     * A vision encoder with 16-pixel patches, 2 x 2 patches per token.
     *
     * @param depth number of blocks of the vision encoder
     * @param hiddenSize width D of the vision encoder, a multiple of 4 * heads
     * @param intermediateSize width of the feed-forward layers
     * @param heads attention heads of the vision encoder
     * @param positionEmbeddings learned positions, a square number
     * @param minPixels smallest area of a resized image, in pixels
     * @param maxPixels largest area of a resized image, in pixels; 1,024 of them are a token
     */
    public record Tower(
            int depth,
            int hiddenSize,
            int intermediateSize,
            int heads,
            int positionEmbeddings,
            long minPixels,
            long maxPixels) {
        private static final double ROPE_THETA = 10_000;

        public Tower {
            preprocessing(minPixels, maxPixels);
            require(heads > 0, "heads", heads, "positive");
            boolean divides = hiddenSize > 0 && hiddenSize % (4 * heads) == 0;
            require(divides, "hidden-size", hiddenSize, "a multiple of 4 * heads = " + 4 * heads);
            int root = (int) Math.round(Math.sqrt(positionEmbeddings));
            require(
                    root > 0 && root * root == positionEmbeddings,
                    "position-embeddings",
                    positionEmbeddings,
                    "a square");
            require(depth > 0, "depth", depth, "positive");
            require(intermediateSize > 0, "intermediate-size", intermediateSize, "positive");
        }

        private static VisionPreprocessing preprocessing(long minPixels, long maxPixels) {
            List<Double> half = List.of(0.5, 0.5, 0.5); // as in the published Qwen3.5
            return new VisionPreprocessing(
                    PATCH, VisionConfig.MERGE, VisionConfig.FRAMES, minPixels, maxPixels, half, half);
        }

        VisionPreprocessing preprocessing() {
            return preprocessing(minPixels, maxPixels);
        }

        /** @param width of the decoder */
        VisionConfig config(int width, VisionTokens tokens) {
            return new VisionConfig(
                    depth, hiddenSize, intermediateSize, heads, PATCH, positionEmbeddings, width, ROPE_THETA, tokens);
        }
    }

    /** Returns the decoder's shape with tied embeddings, for a tokenizer of this many ids. */
    DecoderConfig decoder(int vocabulary, List<Integer> endTokens, int padToken) {
        DecoderConfig plain = model.decoder(vocabulary, endTokens, padToken);
        List<Mixer.Kind> kinds = IntStream.rangeClosed(1, model.layers())
                .mapToObj(i -> i % fullAttentionInterval == 0 ? Mixer.Kind.FULL_ATTENTION : Mixer.Kind.LINEAR_ATTENTION)
                .toList();
        return new DecoderConfig(
                DecoderFamily.QWEN3_5,
                plain.vocabularySize(),
                model.hiddenSize(),
                model.intermediateSize(),
                kinds,
                attention(),
                kinds.contains(Mixer.Kind.LINEAR_ATTENTION) ? deltaNet() : null,
                model.maxPositions(),
                NORM_EPSILON,
                true,
                new SpecialTokens(null, endTokens, padToken));
    }

    private int head() {
        return model.hiddenSize() / model.heads();
    }

    /** Returns attention that rotates whole heads, a third of the pairs by each axis. */
    private AttentionShape attention() {
        int third = head() / 2 / 3;
        List<Integer> sections = List.of(head() / 2 - 2 * third, third, third);
        return new AttentionShape(
                model.heads(),
                model.keyValueHeads(),
                head(),
                head(),
                model.ropeTheta(),
                RotaryScaling.none(),
                sections,
                0,
                1 / Math.sqrt(head()));
    }

    private DeltaNetShape deltaNet() {
        return new DeltaNetShape(model.keyValueHeads(), model.heads(), head(), head(), KERNEL);
    }
}
