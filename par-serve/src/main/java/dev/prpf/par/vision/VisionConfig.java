package dev.prpf.par.vision;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.par.engine.DecoderFamily;
import dev.prpf.par.engine.DecoderFlops;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.vision.PatchPlaces.WindowOrder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The shape of a vision encoder. Names follow {@code vision_config} of Hugging Face's {@code config.json}. All models merge 2 x 2 patches; an image
 * counts as two frames.
 *
 * @param family the model family
 * @param depth number of blocks
 * @param hiddenSize D, a multiple of {@code heads}
 * @param intermediateSize the feed-forward width
 * @param heads N
 * @param patchSize P, pixels of a patch along each side
 * @param positionEmbeddings number of learned positions, a square; 0 in families without them
 * @param windowSize pixels of an attention window along each side; 0 where every block attends to whole images
 * @param wholeBlocks indices of the blocks that attend to whole images where the others have windows
 * @param outHiddenSize the decoder's width
 * @param ropeTheta the base of the rotation by row and column
 * @param tokens of the vocabulary for images
 */
public record VisionConfig(
        VisionFamily family,
        int depth,
        int hiddenSize,
        int intermediateSize,
        int heads,
        int patchSize,
        int positionEmbeddings,
        int windowSize,
        List<Integer> wholeBlocks,
        int outHiddenSize,
        double ropeTheta,
        VisionTokens tokens) {
    public static final int CHANNELS = 3;
    public static final int FRAMES = 2;
    /** Number of patches merged into one token, along each side. */
    public static final int MERGE = 2;

    /** Prefix of all parameter names. */
    public static final String PREFIX = "model.visual.";

    private static final String BLOCKS = PREFIX + "blocks.";
    private static final String MERGER = PREFIX + "merger.";

    public VisionConfig {
        require(depth > 0, "depth", depth, "positive");
        require(hiddenSize > 0, "hidden_size", hiddenSize, "positive");
        require(intermediateSize > 0, "intermediate_size", intermediateSize, "positive");
        require(heads > 0, "num_heads", heads, "positive");
        String rule = "a multiple of 4 * num_heads = " + 4L * heads + ": rows and columns turn pairs of a head each";
        require(hiddenSize % (4L * heads) == 0, "hidden_size", hiddenSize, rule);
        require(patchSize > 0, "patch_size", patchSize, "positive");
        int root = (int) Math.round(Math.sqrt(positionEmbeddings));
        boolean square = positionEmbeddings > 0 && (long) root * root == positionEmbeddings;
        require(square || !family.learnedPositions(), "num_position_embeddings", positionEmbeddings, "a square number");
        String tokenSide = "0 or at least a token's side of " + (long) MERGE * patchSize;
        boolean fits = windowSize == 0 || windowSize / MERGE >= patchSize;
        require(fits, "window_size", windowSize, tokenSide);
        wholeBlocks = List.copyOf(wholeBlocks);
        boolean blocks = wholeBlocks.stream().allMatch(block -> block >= 0 && block < depth);
        require(blocks, "fullatt_block_indexes", wholeBlocks, "blocks of a depth of " + depth);
        require(outHiddenSize > 0, "out_hidden_size", outHiddenSize, "positive");
        require(ropeTheta > 1 && Double.isFinite(ropeTheta), "rope_theta", ropeTheta, "above 1 and finite");
    }

    /** Creates the shape of Qwen3.5's vision encoder. */
    public VisionConfig(
            int depth,
            int hiddenSize,
            int intermediateSize,
            int heads,
            int patchSize,
            int positionEmbeddings,
            int outHiddenSize,
            double ropeTheta,
            VisionTokens tokens) {
        this(
                VisionFamily.QWEN3_5,
                depth,
                hiddenSize,
                intermediateSize,
                heads,
                patchSize,
                positionEmbeddings,
                0,
                List.of(),
                outHiddenSize,
                ropeTheta,
                tokens);
    }

    public int patchValues() {
        return CHANNELS * FRAMES * patchSize * patchSize;
    }

    /** Returns the head dimension H. */
    public int headDim() {
        return hiddenSize / heads;
    }

    /** Returns the number of learned positions along a side. */
    public int side() {
        return (int) Math.round(Math.sqrt(positionEmbeddings));
    }

    /** Returns the tokens along a side of an attention window; 0 without windows. */
    public int windowSide() {
        return windowSize / MERGE / patchSize;
    }

    boolean windowed(int block) {
        return windowSize > 0 && !wholeBlocks.contains(block);
    }

    /** Returns the values of a patch in one feed-forward layer: before and after its activation, and if gated the gate and the product. */
    public long feedForwardValues() {
        return (family.gated() ? 4L : 2L) * intermediateSize;
    }

    /** Returns the float32 values per width that a norm keeps for its backward pass: the input, and in an RMS norm the normalized input too. */
    public int normValues() {
        return family.layerNorms() ? 1 : 2;
    }

    /** Returns every parameter's Hugging Face name and shape. */
    public Map<String, long[]> parameterShapes() {
        Map<String, long[]> shapes = new LinkedHashMap<>(slots());
        shapes.values().removeIf(shape -> shape.length == 0);
        return shapes;
    }

    /**
     * Returns the parameters in the order of the TorchScript text's list of weights: 3 of the embedding, 14 per block, 6 of the merger. The shape of
     * a missing parameter of the family is empty.
     */
    Map<String, long[]> slots() {
        Map<String, long[]> shapes = new LinkedHashMap<>();
        shapes.put(PREFIX + "patch_embed.proj.weight", new long[] {hiddenSize, CHANNELS, FRAMES, patchSize, patchSize});
        boolean learned = family.learnedPositions();
        shapes.put(PREFIX + "patch_embed.proj.bias", learned ? new long[] {hiddenSize} : new long[0]);
        shapes.put(PREFIX + "pos_embed.weight", learned ? new long[] {positionEmbeddings, hiddenSize} : new long[0]);
        for (int i = 0; i < depth; i++) {
            block(shapes, BLOCKS + i + ".");
        }
        int merged = MERGE * MERGE * hiddenSize;
        boolean gated = family.gated();
        norm(shapes, MERGER + (gated ? "ln_q" : "norm"));
        linear(shapes, MERGER + (gated ? "mlp.0" : "linear_fc1"), merged, merged);
        linear(shapes, MERGER + (gated ? "mlp.2" : "linear_fc2"), outHiddenSize, merged);
        return shapes;
    }

    private void block(Map<String, long[]> shapes, String block) {
        boolean gated = family.gated();
        norm(shapes, block + "norm1");
        linear(shapes, block + "attn.qkv", 3L * hiddenSize, hiddenSize);
        linear(shapes, block + "attn.proj", hiddenSize, hiddenSize);
        norm(shapes, block + "norm2");
        linear(shapes, block + (gated ? "mlp.up_proj" : "mlp.linear_fc1"), intermediateSize, hiddenSize);
        linear(shapes, block + (gated ? "mlp.down_proj" : "mlp.linear_fc2"), hiddenSize, intermediateSize);
        String gate = block + "mlp.gate_proj";
        shapes.put(gate + ".weight", gated ? new long[] {intermediateSize, hiddenSize} : new long[0]);
        shapes.put(gate + ".bias", gated ? new long[] {intermediateSize} : new long[0]);
    }

    private void norm(Map<String, long[]> shapes, String name) {
        shapes.put(name + ".weight", new long[] {hiddenSize});
        shapes.put(name + ".bias", family.layerNorms() ? new long[] {hiddenSize} : new long[0]);
    }

    private static void linear(Map<String, long[]> shapes, String name, long out, long in) {
        shapes.put(name + ".weight", new long[] {out, in});
        shapes.put(name + ".bias", new long[] {out});
    }

    /** Returns whether a parameter belongs to the merger, the part after the blocks. */
    public static boolean ofMerger(String name) {
        return name.startsWith(MERGER);
    }

    /** Returns whether a parameter belongs to a block. */
    public static boolean ofBlock(String name) {
        return name.startsWith(BLOCKS);
    }

    /** Returns the number of values of all parameters. */
    public long parameterCount() {
        return parameterShapes().values().stream()
                .mapToLong(shape -> Arrays.stream(shape).reduce(1, Math::multiplyExact))
                .sum();
    }

    /**
     * The tokens of a vision-language model's vocabulary around and in place of images.
     *
     * @param image the placeholder of an image's merged patch
     * @param video the placeholder of a video's, which is not supported here
     * @param start precedes an image
     * @param end follows an image
     */
    public record VisionTokens(int image, int video, int start, int end) {
        public VisionTokens {
            require(image >= 0, "image_token_id", image, "a token");
            require(video >= 0, "video_token_id", video, "a token");
            require(start >= 0, "vision_start_token_id", start, "a token");
            require(end >= 0, "vision_end_token_id", end, "a token");
        }
    }

    /** The supported families of vision-language models and their differences; names are Hugging Face's. */
    public enum VisionFamily {
        /** Learned positions, layer norms, a feed-forward layer with GELU, attention over whole images. */
        QWEN3_5("qwen3_5", "Qwen3_5ForConditionalGeneration", DecoderFamily.QWEN3_5),
        /** RMS norms, a gated feed-forward layer, attention within windows in most blocks (Qwen2.5-VL, arXiv:2502.13923). */
        QWEN2_5_VL("qwen2_5_vl", "Qwen2_5_VLForConditionalGeneration", DecoderFamily.QWEN2_5_VL);

        private final String modelType;
        private final String architecture;
        private final DecoderFamily decoder;

        VisionFamily(String modelType, String architecture, DecoderFamily decoder) {
            this.modelType = modelType;
            this.architecture = architecture;
            this.decoder = decoder;
        }

        /** Finds the family by {@code model_type} of config.json; empty for a text model. */
        public static Optional<VisionFamily> of(String modelType) {
            return Stream.of(values())
                    .filter(family -> family.modelType.equals(modelType))
                    .findFirst();
        }

        /** Returns the {@code model_type} of config.json. */
        public String modelType() {
            return modelType;
        }

        /** Returns the class in {@code architectures} of config.json. */
        public String architecture() {
            return architecture;
        }

        /** Returns the text model that reads the features. */
        public DecoderFamily decoder() {
            return decoder;
        }

        boolean learnedPositions() {
            return this == QWEN3_5;
        }

        boolean layerNorms() {
            return this == QWEN3_5;
        }

        boolean gated() {
            return this == QWEN2_5_VL;
        }
    }

    /**
     * Counts the floating-point operations of a vision encoder's pass over images, two per multiply-add, like {@link DecoderFlops} for a decoder. It
     * counts matrices and attention, not norms, rotations and activations.
     */
    public static final class VisionFlops {
        private static final long MERGED = (long) VisionConfig.MERGE * VisionConfig.MERGE;

        private final VisionConfig config;
        private final double patch;
        private final double token;

        public VisionFlops(VisionConfig config) {
            this.config = config;
            double width = config.hiddenSize();
            double matrices = config.family().gated() ? 3 : 2;
            double block = 4 * width * width + matrices * width * config.intermediateSize();
            patch = 2 * (width * config.patchValues() + config.depth() * block);
            double merged = MERGED * width;
            token = 2 * (merged * merged + merged * config.outHiddenSize());
        }

        /** Counts one image; each of its patches attends to all patches, or in some blocks to those of its window. */
        public double of(ImageGrid grid) {
            double patches = (double) MERGED * grid.tokens();
            double windowed = WindowOrder.of(grid.rows(), grid.columns(), config.windowSide())
                            .pairs()
                    * MERGED
                    * MERGED;
            double attention = 0;
            for (int i = 0; i < config.depth(); i++) {
                attention += 4.0 * config.hiddenSize() * (config.windowed(i) ? windowed : patches * patches);
            }
            return patches * patch + attention + grid.tokens() * token;
        }
    }
}
