package dev.prpf.data.encode.image;

import dev.prpf.data.onnx.OnnxGraph;
import dev.prpf.data.onnx.OnnxGraph.Attribute;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * The vision tower of CLIP as an ONNX graph: {@code pixel_values} (B, 3, S, S) to {@code image_embeds} (B, P) and
 * {@code last_hidden_state} (B, T, d), as transformers' {@code CLIPVisionModelWithProjection} names them.
 *
 * <p>B pictures, S side of a picture, T tokens, H heads, d width, P projection. Linear layers work on (B * T, d), so that each is one
 * matrix product with its bias.
 */
final class ClipTowerGraph {
    static final String PIXELS = "pixel_values";
    static final String EMBEDDING = "image_embeds";
    static final String HIDDEN = "last_hidden_state";

    private static final String ROOT = "vision_model.";

    private final ClipVisionConfig config;
    /** The float32 bytes of a tensor of this name and shape. */
    private final BiFunction<String, long[], ByteBuffer> weights;

    private final OnnxGraph graph = new OnnxGraph("clip-vision");

    private ClipTowerGraph(ClipVisionConfig config, BiFunction<String, long[], ByteBuffer> weights) {
        this.config = config;
        this.weights = weights;
    }

    /**
     * The model's bytes, for ONNX Runtime.
     *
     * @param weights gives the little-endian float32 values of a tensor by its name in the checkpoint and its shape
     */
    static ByteBuffer model(ClipVisionConfig config, BiFunction<String, long[], ByteBuffer> weights) {
        return new ClipTowerGraph(config, weights).build();
    }

    private ByteBuffer build() {
        int d = config.hidden();
        graph.input(PIXELS, -1, 3, config.imageSize(), config.imageSize());
        String x = norm(embeddings(), "pre_layrnorm"); // the checkpoint's spelling; (B * T, d)
        for (int layer = 0; layer < config.layers(); layer++) {
            String name = "encoder.layers." + layer + ".";
            x = graph.node("Add", List.of(x, attention(norm(x, name + "layer_norm1"), name + "self_attn.")));
            x = graph.node("Add", List.of(x, feedForward(norm(x, name + "layer_norm2"), name + "mlp.")));
        }
        String hidden = graph.named(HIDDEN, "Reshape", List.of(x, graph.longs(-1, config.tokens(), d))); // (B, T, d)
        String first = graph.node("Slice", List.of(hidden, graph.longs(0), graph.longs(1), graph.longs(1)));
        String pooled = norm(graph.node("Reshape", List.of(first, graph.longs(-1, d))), "post_layernorm"); // (B, d)
        String projection = weight("", "visual_projection.weight", config.projection(), d);
        graph.named(EMBEDDING, "Gemm", List.of(pooled, projection), Attribute.of("transB", 1)); // (B, P)
        graph.output(EMBEDDING, -1, config.projection());
        graph.output(HIDDEN, -1, config.tokens(), d);
        return graph.toModel();
    }

    /** Class token and patches with their positions, (B * T, d). */
    private String embeddings() {
        int d = config.hidden();
        int patch = config.patch();
        String kernel = weight(ROOT, "embeddings.patch_embedding.weight", d, 3, patch, patch);
        String grid = graph.node(
                "Conv",
                List.of(PIXELS, kernel),
                Attribute.of("kernel_shape", patch, patch),
                Attribute.of("strides", patch, patch)); // (B, d, S / patch, S / patch)
        String columns = graph.node("Reshape", List.of(grid, graph.longs(0, d, -1))); // (B, d, T - 1)
        String patches = graph.node("Transpose", List.of(columns), Attribute.of("perm", 0, 2, 1)); // (B, T - 1, d)
        String pictures = graph.node("Shape", List.of(PIXELS), Attribute.of("start", 0), Attribute.of("end", 1)); // (B)
        String oneEach = graph.node("Concat", List.of(pictures, graph.longs(1, d)), Attribute.of("axis", 0)); // B, 1, d
        String token = weight(ROOT, "embeddings.class_embedding", d);
        String tokens = graph.node("Expand", List.of(token, oneEach)); // (B, 1, d)
        String all = graph.node("Concat", List.of(tokens, patches), Attribute.of("axis", 1)); // (B, T, d)
        String positions = weight(ROOT, "embeddings.position_embedding.weight", config.tokens(), d);
        String placed = graph.node("Add", List.of(all, positions));
        return graph.node("Reshape", List.of(placed, graph.longs(-1, d))); // (B * T, d)
    }

    private String attention(String x, String name) {
        String q = heads(linear(x, name + "q_proj", config.hidden(), config.hidden()), 0, 2, 1, 3); // (B, H, T, d/H)
        String k = heads(linear(x, name + "k_proj", config.hidden(), config.hidden()), 0, 2, 3, 1); // (B, H, d/H, T)
        String v = heads(linear(x, name + "v_proj", config.hidden(), config.hidden()), 0, 2, 1, 3); // (B, H, T, d/H)
        String scale = graph.scalar((float) (1 / Math.sqrt(config.headWidth())));
        String scores = graph.node("Mul", List.of(graph.node("MatMul", List.of(q, k)), scale)); // (B, H, T, T)
        String shares = graph.node("Softmax", List.of(scores), Attribute.of("axis", -1));
        String seen = graph.node("MatMul", List.of(shares, v)); // (B, H, T, d/H)
        String joined = graph.node("Transpose", List.of(seen), Attribute.of("perm", 0, 2, 1, 3));
        String rows = graph.node("Reshape", List.of(joined, graph.longs(-1, config.hidden()))); // (B * T, d)
        return linear(rows, name + "out_proj", config.hidden(), config.hidden());
    }

    private String heads(String rows, long... order) {
        String split = graph.node(
                "Reshape",
                List.of(rows, graph.longs(-1, config.tokens(), config.heads(), config.headWidth()))); // (B, T, H, d/H)
        return graph.node("Transpose", List.of(split), Attribute.of("perm", order));
    }

    private String feedForward(String x, String name) {
        String up = linear(x, name + "fc1", config.hidden(), config.feedForward());
        return linear(activated(up), name + "fc2", config.feedForward(), config.hidden());
    }

    private String activated(String x) {
        if (config.activation() == ClipVisionConfig.Activation.QUICK_GELU) {
            String scaled = graph.node("Mul", List.of(x, graph.scalar(1.702f)));
            return graph.node("Mul", List.of(x, graph.node("Sigmoid", List.of(scaled))));
        }
        String erf = graph.node("Erf", List.of(graph.node("Div", List.of(x, graph.scalar((float) Math.sqrt(2))))));
        String twice = graph.node("Mul", List.of(x, graph.node("Add", List.of(erf, graph.scalar(1)))));
        return graph.node("Mul", List.of(twice, graph.scalar(0.5f)));
    }

    private String linear(String x, String name, int in, int out) {
        return graph.node(
                "Gemm",
                List.of(x, weight(ROOT, name + ".weight", out, in), weight(ROOT, name + ".bias", out)),
                Attribute.of("transB", 1));
    }

    private String norm(String x, String name) {
        int d = config.hidden();
        List<String> inputs = new ArrayList<>(List.of(x));
        inputs.add(weight(ROOT, name + ".weight", d));
        inputs.add(weight(ROOT, name + ".bias", d));
        return graph.node(
                "LayerNormalization", inputs, Attribute.of("axis", -1), Attribute.of("epsilon", config.epsilon()));
    }

    private String weight(String prefix, String name, long... shape) {
        return graph.weight(prefix + name, shape, weights.apply(prefix + name, shape));
    }
}
