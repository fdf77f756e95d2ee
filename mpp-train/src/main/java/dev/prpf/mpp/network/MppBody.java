package dev.prpf.mpp.network;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The body of the perceiver, from encoder vectors to the fused z (PRPF eq. 3 to 6), as a SameDiff graph. Axes: B batch, T steps,
 * N tokens of a channel, H heads, d width.
 *
 * <p>Three rewrites make it cheaper than the library's own operations and change nothing: relu is (x + |x|) / 2, means over the width
 * are matrix products, and H_img is pooled before it is projected (the projection is linear and the pooling weights add up to 1).
 * Layer norms have no gain and bias of their own: the linear layer that follows has both.
 */
final class MppBody {
    static final String CONTEXT = "context";
    static final String CONTEXT_MASK = "contextMask";
    static final String FRAMES = "frames";
    static final String FRAME_MASK = "frameMask";
    static final String RECENT = "recent";
    static final String RECENT_MASK = "recentMask";
    /** The inputs, in the order of {@link FeatureBatch#arrays}. */
    static final List<String> INPUTS = List.of(CONTEXT, FRAMES, FRAME_MASK, RECENT, RECENT_MASK, CONTEXT_MASK);

    static final double LAYER_NORM_EPSILON = 1e-5;
    static final double MASKED = -1e9;

    /**
     * A place where units are dropped.
     *
     * @param name the placeholder of its mask, shape (B * rows, columns)
     * @param rows rows a sample
     * @param columns width
     */
    record DropoutSite(String name, int rows, int columns) {}

    private final SameDiff graph;
    private final NetworkShape shape;
    private final DataType type;
    private final int steps;
    private final Map<String, SDVariable> parameters = new LinkedHashMap<>();
    private final List<DropoutSite> dropoutSites = new ArrayList<>();
    private final SDVariable columnMean; // (d, 1)
    private final SDVariable rowOfOnes; // (1, d)
    private final SDVariable fused;

    MppBody(SameDiff graph, NetworkShape shape, DataType type, int steps) {
        this.graph = graph;
        this.shape = shape;
        this.type = type;
        this.steps = steps;
        int d = shape.dimension();
        columnMean = graph.constant("columnMean", Nd4j.valueArrayOf(new long[] {d, 1}, 1.0 / d, type));
        rowOfOnes = graph.constant("rowOfOnes", Nd4j.ones(type, 1, d));
        BodyParameters.shapes(shape)
                .forEach((name, size) -> parameters.put(name, graph.var(name, Nd4j.zeros(type, size))));
        fused = fuse();
    }

    /** z, shape (B, {@link NetworkShape#fusedWidth()}). */
    SDVariable fused() {
        return fused;
    }

    List<DropoutSite> dropoutSites() {
        return dropoutSites;
    }

    private SDVariable fuse() {
        SDVariable recentMask = shape.fast() ? placeholder(RECENT_MASK, shape.recentSteps()) : null;
        if (recentMask == null) {
            return drop(readout(slowChannel(), null, shape.slowTokens(), "slow.readout.query"), 1, shape.fusedWidth());
        }
        SDVariable fast = fastChannel(recentMask);
        if (!shape.slow()) {
            return drop(readout(fast, recentMask, shape.recentSteps(), "fast.readout.query"), 1, shape.fusedWidth());
        }
        SDVariable slow = slowChannel();
        int n = shape.slowTokens();
        int k = shape.recentSteps();
        SDVariable slowSeesFast = crossAttention(slow, n, fast, k, recentMask, "cross.slow");
        SDVariable fastSeesSlow = crossAttention(fast, k, slow, n, null, "cross.fast");
        SDVariable z = graph.concat(
                1,
                readout(slowSeesFast, null, n, "slow.readout.query"),
                readout(fastSeesSlow, recentMask, k, "fast.readout.query")); // (B, 2d)
        return drop(z, 1, shape.fusedWidth());
    }

    /** Profile, phone, world and the pooled trajectory through an encoder: (B * 4, d). */
    private SDVariable slowChannel() {
        SDVariable texts = linear(contextTexts(), "context") // (B * 3, d)
                .reshape(-1, NetworkShape.CONTEXT, shape.dimension()); // (B, 3, d)
        SDVariable trajectory = linear(pooledFrames(), "frames").reshape(-1, 1, shape.dimension()); // (B, 1, d)
        SDVariable tokens = graph.concat(1, texts, trajectory)
                .add(parameter("slow.position"))
                .reshape(-1, shape.dimension()); // (B * 4, d)
        return encoder(tokens, null, shape.slowTokens(), "slow");
    }

    /**
     * One vector a context text, (B * 3, E): the text's own, or its S sentences' pooled by attention with a query a text. Vectors
     * of length 1 are scored as if their entries had variance 1, or a query would take very long to tell two apart.
     */
    private SDVariable contextTexts() {
        int n = NetworkShape.CONTEXT * shape.textVectors();
        SDVariable context = placeholder(CONTEXT, n * shape.width()); // (B, N * E), N = 3 S
        SDVariable rows = context.reshape(-1, shape.width()); // (B * N, E)
        if (shape.sentences() == 0) {
            return rows;
        }
        SDVariable mask =
                placeholder(CONTEXT_MASK, NetworkShape.CONTEXT * n); // (B, 3 * N), 1 where N is a sentence of 3
        SDVariable scores = times(rows, parameter("slow.context.query")) // (B * N, 3)
                .reshape(-1, n, NetworkShape.CONTEXT) // (B, N, 3)
                .permute(0, 2, 1) // (B, 3, N)
                .mul(Math.sqrt(shape.width()));
        SDVariable masked = scores.add(bias(mask).reshape(-1, NetworkShape.CONTEXT, n)); // (B, 3, N)
        return graph.mmul(graph.nn.softmax(masked, 2), context.reshape(-1, n, shape.width())) // (B, 3, E)
                .reshape(-1, shape.width()); // (B * 3, E)
    }

    /** Attention pooling over the whole trajectory (PRPF eq. 4): (B, 2E). */
    private SDVariable pooledFrames() {
        SDVariable frames = placeholder(FRAMES, steps, shape.stepWidth()); // (B, T, 2E)
        SDVariable mask = placeholder(FRAME_MASK, steps); // (B, T)
        SDVariable rows = frames.reshape(-1, shape.stepWidth()); // (B * T, 2E)
        SDVariable scores = times(rows, parameter("slow.pool.query")).reshape(-1, steps); // (B, T)
        SDVariable weights = graph.nn.softmax(scores.add(bias(mask)), 1).reshape(-1, 1, steps); // (B, 1, T)
        return graph.mmul(weights, frames).reshape(-1, shape.stepWidth()); // (B, 2E)
    }

    /** The last k steps through a projection and an encoder (PRPF eq. 5): (B * k, d). */
    private SDVariable fastChannel(SDVariable mask) {
        SDVariable recent = placeholder(RECENT, shape.recentSteps() * shape.stepWidth());
        SDVariable projected = linear(linear(recent.reshape(-1, shape.stepWidth()), "frames"), "fast.projection");
        SDVariable tokens = projected
                .reshape(-1, shape.recentSteps(), shape.dimension()) // (B, k, d)
                .add(parameter("fast.position"))
                .reshape(-1, shape.dimension()); // (B * k, d)
        return encoder(tokens, mask, shape.recentSteps(), "fast");
    }

    /** A post-norm Transformer encoder on (B * N, d). */
    private SDVariable encoder(SDVariable tokens, @Nullable SDVariable mask, int n, String name) {
        SDVariable x = tokens;
        for (int layer = 0; layer < shape.layers(); layer++) {
            String prefix = name + "." + layer;
            SDVariable[] qkv = graph.split(linear(x, prefix + ".qkv"), 3, 1);
            SDVariable attended = linear(attention(qkv[0], n, qkv[1], qkv[2], n, mask), prefix + ".out");
            x = layerNorm(x.add(drop(attended, n, shape.dimension())));
            SDVariable fed = linear(relu(linear(x, prefix + ".up")), prefix + ".down");
            x = layerNorm(x.add(drop(fed, n, shape.dimension())));
        }
        return x;
    }

    /** PRPF eq. 6: one channel asks, the other answers; (B * N, d). */
    private SDVariable crossAttention(
            SDVariable asking, int asked, SDVariable answering, int answers, @Nullable SDVariable mask, String name) {
        SDVariable[] kv = graph.split(linear(answering, name + ".keyvalue"), 2, 1);
        SDVariable q = linear(asking, name + ".query");
        return linear(attention(q, asked, kv[0], kv[1], answers, mask), name + ".out");
    }

    /** Scaled dot-product attention over H heads; q (B * N, d), k and v (B * M, d), mask (B, M). */
    private SDVariable attention(SDVariable q, int n, SDVariable k, SDVariable v, int m, @Nullable SDVariable mask) {
        int perHead = shape.dimension() / shape.heads();
        SDVariable scores = graph.mmul(heads(q, n), heads(k, m), false, true, false) // (B, H, N, M)
                .mul(1 / Math.sqrt(perHead));
        if (mask != null) {
            scores = scores.add(bias(mask).reshape(-1, 1, 1, m));
        }
        return graph.mmul(graph.nn.softmax(scores, 3), heads(v, m)) // (B, H, N, d / H)
                .permute(0, 2, 1, 3) // (B, N, H, d / H)
                .reshape(-1, shape.dimension()); // (B * N, d)
    }

    private SDVariable heads(SDVariable x, int n) {
        return x.reshape(-1, n, shape.heads(), shape.dimension() / shape.heads()) // (B, N, H, d / H)
                .permute(0, 2, 1, 3); // (B, H, N, d / H)
    }

    /** Attention pooling of a channel by a learned query: (B, d). */
    private SDVariable readout(SDVariable x, @Nullable SDVariable mask, int n, String query) {
        SDVariable scores = times(x, parameter(query)).reshape(-1, n); // (B, N)
        if (mask != null) {
            scores = scores.add(bias(mask));
        }
        SDVariable weights = graph.nn.softmax(scores, 1).reshape(-1, 1, n); // (B, 1, N)
        return graph.mmul(weights, x.reshape(-1, n, shape.dimension())).reshape(-1, shape.dimension());
    }

    private SDVariable layerNorm(SDVariable x) {
        SDVariable centred = x.sub(graph.mmul(graph.mmul(x, columnMean), rowOfOnes));
        SDVariable variance = graph.mmul(centred.mul(centred), columnMean).add(LAYER_NORM_EPSILON); // (B * N, 1)
        SDVariable scale = graph.math.exp(graph.math.log(variance).mul(-0.5));
        return centred.mul(graph.mmul(scale, rowOfOnes));
    }

    private SDVariable relu(SDVariable x) {
        return x.add(graph.math.abs(x)).mul(0.5);
    }

    private SDVariable linear(SDVariable x, String name) {
        return times(x, parameter(name + ".weight")).add(parameter(name + ".bias"));
    }

    /** x Wᵀ. */
    private SDVariable times(SDVariable x, SDVariable weight) {
        return graph.mmul(x, weight, false, true, false);
    }

    private SDVariable bias(SDVariable mask) {
        return mask.rsub(1.0).mul(MASKED);
    }

    private SDVariable drop(SDVariable x, int rows, int columns) {
        if (shape.dropout() == 0) {
            return x;
        }
        String name = "dropout." + dropoutSites.size();
        dropoutSites.add(new DropoutSite(name, rows, columns));
        return x.mul(placeholder(name, columns));
    }

    private SDVariable placeholder(String name, int... sizes) {
        long[] dimensions = new long[sizes.length + 1];
        dimensions[0] = -1;
        for (int i = 0; i < sizes.length; i++) {
            dimensions[i + 1] = sizes[i];
        }
        return graph.placeHolder(name, type, dimensions);
    }

    private SDVariable parameter(String name) {
        SDVariable variable = parameters.get(name);
        if (variable == null) {
            throw new IllegalStateException("the body has no parameter " + name);
        }
        return variable;
    }
}
