package dev.prpf.par.vision;

import static dev.prpf.base.config.Rule.require;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The shape of Qwen3.5's vision tower. Names follow {@code vision_config} of Hugging Face's {@code config.json}. All its models merge 2 x 2
 * patches, each seen twice.
 *
 * @param depth number of blocks
 * @param hiddenSize D, a multiple of {@code heads}
 * @param intermediateSize the feed-forward width
 * @param heads N
 * @param patchSize P, pixels of a patch along each side; 16 in all published models
 * @param positionEmbeddings learned positions, a square
 * @param outHiddenSize the decoder's width
 * @param ropeTheta the base of the rotation by row and column
 * @param tokens of the vocabulary that belong to pictures
 */
public record VisionConfig(
        int depth,
        int hiddenSize,
        int intermediateSize,
        int heads,
        int patchSize,
        int positionEmbeddings,
        int outHiddenSize,
        double ropeTheta,
        VisionTokens tokens) {
    public static final int CHANNELS = 3;
    public static final int FRAMES = 2;
    /** Patches that are merged into one token, along each side. */
    public static final int MERGE = 2;

    /** Names of all parameters begin so. */
    public static final String PREFIX = "model.visual.";

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
        require(square, "num_position_embeddings", positionEmbeddings, "a square number");
        require(outHiddenSize > 0, "out_hidden_size", outHiddenSize, "positive");
        require(ropeTheta > 1 && Double.isFinite(ropeTheta), "rope_theta", ropeTheta, "above 1 and finite");
    }

    /** Values of a patch. */
    public int patchValues() {
        return CHANNELS * FRAMES * patchSize * patchSize;
    }

    /** H. */
    public int headDim() {
        return hiddenSize / heads;
    }

    /** Learned positions along a side. */
    public int side() {
        return (int) Math.round(Math.sqrt(positionEmbeddings));
    }

    /** Every parameter's Hugging Face name and shape, in the order of the TorchScript text's list of weights. */
    public Map<String, long[]> parameterShapes() {
        Map<String, long[]> shapes = new LinkedHashMap<>();
        shapes.put(PREFIX + "patch_embed.proj.weight", new long[] {hiddenSize, CHANNELS, FRAMES, patchSize, patchSize});
        shapes.put(PREFIX + "patch_embed.proj.bias", new long[] {hiddenSize});
        shapes.put(PREFIX + "pos_embed.weight", new long[] {positionEmbeddings, hiddenSize});
        for (int i = 0; i < depth; i++) {
            String block = PREFIX + "blocks." + i + ".";
            norm(shapes, block + "norm1");
            linear(shapes, block + "attn.qkv", 3L * hiddenSize, hiddenSize);
            linear(shapes, block + "attn.proj", hiddenSize, hiddenSize);
            norm(shapes, block + "norm2");
            linear(shapes, block + "mlp.linear_fc1", intermediateSize, hiddenSize);
            linear(shapes, block + "mlp.linear_fc2", hiddenSize, intermediateSize);
        }
        int merged = MERGE * MERGE * hiddenSize;
        norm(shapes, MERGER + "norm");
        linear(shapes, MERGER + "linear_fc1", merged, merged);
        linear(shapes, MERGER + "linear_fc2", outHiddenSize, merged);
        return shapes;
    }

    private void norm(Map<String, long[]> shapes, String name) {
        shapes.put(name + ".weight", new long[] {hiddenSize});
        shapes.put(name + ".bias", new long[] {hiddenSize});
    }

    private static void linear(Map<String, long[]> shapes, String name, long out, long in) {
        shapes.put(name + ".weight", new long[] {out, in});
        shapes.put(name + ".bias", new long[] {out});
    }

    /** Whether a parameter belongs to the merger, the part behind the blocks. */
    public static boolean ofMerger(String name) {
        return name.startsWith(MERGER);
    }

    /** Number of values of all parameters. */
    public long parameterCount() {
        return parameterShapes().values().stream()
                .mapToLong(shape -> Arrays.stream(shape).reduce(1, Math::multiplyExact))
                .sum();
    }
}
