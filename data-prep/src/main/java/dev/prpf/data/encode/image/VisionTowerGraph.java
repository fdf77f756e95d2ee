package dev.prpf.data.encode.image;

import dev.prpf.data.onnx.OnnxGraph;
import dev.prpf.data.onnx.OnnxGraph.Attribute;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Builds a vision encoder as an ONNX graph from {@code pixel_values} (B, 3, S, S) to {@code image_embeds} (B, W) and
 * {@code last_hidden_state} (B, T, d). It equals transformers' {@code CLIPVisionModelWithProjection} and
 * {@code SiglipVisionModel}, where {@code pooler_output} is the {@code image_embeds}.
 *
 * <p>B images, S side of an image, T tokens, H heads, d width of a token, W width of an embedding. Linear layers use (B * T, d),
 * so that each is one matrix product with bias.
 */
final class VisionTowerGraph {
    static final String PIXELS = "pixel_values";
    static final String EMBEDDING = "image_embeds";
    static final String HIDDEN = "last_hidden_state";

    private final ImageEncoderConfig config;
    private final Weights weights;
    private final int d;
    private final boolean clip;
    private final OnnxGraph graph = new OnnxGraph("vision-tower");

    /** Returns the little-endian float32 values of a tensor by name and shape. */
    interface Weights {
        ByteBuffer floats(String name, long... shape);
    }

    private VisionTowerGraph(ImageEncoderConfig config, Weights weights) {
        this.config = config;
        this.weights = weights;
        d = config.hidden();
        clip = config.family() == TowerFamily.CLIP;
    }

    /** Returns the model's bytes for ONNX Runtime. */
    static ByteBuffer model(ImageEncoderConfig config, Weights weights) {
        return new VisionTowerGraph(config, weights).build();
    }

    private ByteBuffer build() {
        graph.input(PIXELS, -1, 3, config.imageSize(), config.imageSize());
        String x = clip ? norm(embeddings(), "pre_layrnorm") : embeddings(); // the checkpoint's spelling; (B * T, d)
        for (int layer = 0; layer < config.layers(); layer++) {
            String name = "encoder.layers." + layer + ".";
            x = graph.node("Add", List.of(x, attention(norm(x, name + "layer_norm1"), name + "self_attn.")));
            x = graph.node("Add", List.of(x, feedForward(norm(x, name + "layer_norm2"), name + "mlp.")));
        }
        x = clip ? x : norm(x, "post_layernorm");
        String hidden = graph.named(HIDDEN, "Reshape", List.of(x, graph.longs(-1, config.tokens(), d))); // (B, T, d)
        if (clip) {
            project(hidden);
        } else {
            pool(x);
        }
        graph.output(EMBEDDING, -1, config.width());
        graph.output(HIDDEN, -1, config.tokens(), d);
        return graph.toModel();
    }

    /** Adds CLIP's output: the projected vector of the class token. */
    private void project(String hidden) {
        String first = graph.node("Slice", List.of(hidden, graph.longs(0), graph.longs(1), graph.longs(1)));
        String pooled = norm(graph.node("Reshape", List.of(first, graph.longs(-1, d))), "post_layernorm"); // (B, d)
        String projection = weight("visual_projection.weight", config.width(), d);
        graph.named(EMBEDDING, "Gemm", List.of(pooled, projection), Attribute.of("transB", 1)); // (B, W)
    }

    /**
     * Adds SigLIP's output: attention of a learned query over all tokens, then a feed-forward part.
     *
     * @param x the tokens, shape (B * T, d)
     */
    private void pool(String x) {
        String name = "head.attention.";
        ByteBuffer in = weights.floats(name + "in_proj_weight", 3L * d, d); // query, key and value, concatenated
        ByteBuffer bias = weights.floats(name + "in_proj_bias", 3L * d);
        String probe = graph.node("Reshape", List.of(weight("head.probe", 1, 1, d), graph.longs(1, d)));
        String q = heads(gemm(probe, name + "q", third(in, 0), third(bias, 0)), 1, 0, 2, 1, 3); // (1, H, 1, d/H)
        String k = heads(gemm(x, name + "k", third(in, 1), third(bias, 1)), config.tokens(), 0, 2, 3, 1);
        String v = heads(gemm(x, name + "v", third(in, 2), third(bias, 2)), config.tokens(), 0, 2, 1, 3);
        String seen = linear(attended(q, k, v), name + "out_proj", d, d); // (B, d)
        String more = feedForward(norm(seen, "head.layernorm"), "head.mlp.");
        graph.named(EMBEDDING, "Add", List.of(seen, more));
    }

    private static ByteBuffer third(ByteBuffer values, int n) {
        int bytes = values.remaining() / 3;
        return values.slice(values.position() + n * bytes, bytes);
    }

    /** Adds the patch embeddings with positions, (B * T, d); CLIP's follow its class token. */
    private String embeddings() {
        int patch = config.patch();
        String kernel = weight("embeddings.patch_embedding.weight", d, 3, patch, patch);
        String grid = graph.node(
                "Conv",
                clip ? List.of(PIXELS, kernel) : List.of(PIXELS, kernel, weight("embeddings.patch_embedding.bias", d)),
                Attribute.of("kernel_shape", patch, patch),
                Attribute.of("strides", patch, patch)); // (B, d, S / patch, S / patch)
        String columns = graph.node("Reshape", List.of(grid, graph.longs(0, d, -1))); // (B, d, patches)
        String patches = graph.node("Transpose", List.of(columns), Attribute.of("perm", 0, 2, 1)); // (B, patches, d)
        String all = clip ? afterClassToken(patches) : patches; // (B, T, d)
        String positions = weight("embeddings.position_embedding.weight", config.tokens(), d);
        String placed = graph.node("Add", List.of(all, positions));
        return graph.node("Reshape", List.of(placed, graph.longs(-1, d))); // (B * T, d)
    }

    private String afterClassToken(String patches) {
        String images = graph.node("Shape", List.of(PIXELS), Attribute.of("start", 0), Attribute.of("end", 1)); // (B)
        String oneEach = graph.node("Concat", List.of(images, graph.longs(1, d)), Attribute.of("axis", 0)); // B, 1, d
        String token = weight("embeddings.class_embedding", d);
        String tokens = graph.node("Expand", List.of(token, oneEach)); // (B, 1, d)
        return graph.node("Concat", List.of(tokens, patches), Attribute.of("axis", 1)); // (B, T, d)
    }

    private String attention(String x, String name) {
        int tokens = config.tokens();
        String q = heads(linear(x, name + "q_proj", d, d), tokens, 0, 2, 1, 3); // (B, H, T, d/H)
        String k = heads(linear(x, name + "k_proj", d, d), tokens, 0, 2, 3, 1); // (B, H, d/H, T)
        String v = heads(linear(x, name + "v_proj", d, d), tokens, 0, 2, 1, 3); // (B, H, T, d/H)
        return linear(attended(q, k, v), name + "out_proj", d, d);
    }

    /** Adds attention: softmax(q k / √(d/H)) v with joined heads, (queries, d). */
    private String attended(String q, String k, String v) {
        String scale = graph.scalar((float) (1 / Math.sqrt(config.headWidth())));
        String scores = graph.node("Mul", List.of(graph.node("MatMul", List.of(q, k)), scale)); // (B, H, queries, T)
        String shares = graph.node("Softmax", List.of(scores), Attribute.of("axis", -1));
        String seen = graph.node("MatMul", List.of(shares, v)); // (B, H, queries, d/H)
        String joined = graph.node("Transpose", List.of(seen), Attribute.of("perm", 0, 2, 1, 3));
        return graph.node("Reshape", List.of(joined, graph.longs(-1, d)));
    }

    private String heads(String rows, int tokens, long... order) {
        String split = graph.node(
                "Reshape",
                List.of(rows, graph.longs(-1, tokens, config.heads(), config.headWidth()))); // (B, tokens, H, d/H)
        return graph.node("Transpose", List.of(split), Attribute.of("perm", order));
    }

    private String feedForward(String x, String name) {
        String up = linear(x, name + "fc1", d, config.feedForward());
        return linear(activated(up), name + "fc2", config.feedForward(), d);
    }

    private String activated(String x) {
        return switch (config.activation()) {
            case QUICK_GELU -> times(x, graph.node("Sigmoid", List.of(times(x, graph.scalar(1.702f)))));
            case GELU -> gelu(x, graph.node("Erf", List.of(times(x, graph.scalar((float) Math.sqrt(0.5))))));
            case GELU_TANH -> {
                String cube = times(times(times(x, x), x), graph.scalar(0.044715f));
                String inner = times(graph.node("Add", List.of(x, cube)), graph.scalar((float) Math.sqrt(2 / Math.PI)));
                yield gelu(x, graph.node("Tanh", List.of(inner)));
            }
        };
    }

    /** Adds the product 0.5 x (1 + y). */
    private String gelu(String x, String y) {
        return times(times(x, graph.node("Add", List.of(y, graph.scalar(1)))), graph.scalar(0.5f));
    }

    private String times(String a, String b) {
        return graph.node("Mul", List.of(a, b));
    }

    private String linear(String x, String name, int in, int out) {
        return gemm(x, name, weights.floats(name + ".weight", out, in), weights.floats(name + ".bias", out));
    }

    /** Adds x W^T + b with weights of shape (out, in). */
    private String gemm(String x, String name, ByteBuffer weight, ByteBuffer bias) {
        long out = bias.remaining() / Float.BYTES;
        long in = weight.remaining() / Float.BYTES / out;
        String w = graph.weight(name + ".weight", new long[] {out, in}, weight);
        String b = graph.weight(name + ".bias", new long[] {out}, bias);
        return graph.node("Gemm", List.of(x, w, b), Attribute.of("transB", 1));
    }

    private String norm(String x, String name) {
        return graph.node(
                "LayerNormalization",
                List.of(x, weight(name + ".weight", d), weight(name + ".bias", d)),
                Attribute.of("axis", -1),
                Attribute.of("epsilon", config.epsilon()));
    }

    private String weight(String name, long... shape) {
        return graph.weight(name, shape, weights.floats(name, shape));
    }
}
