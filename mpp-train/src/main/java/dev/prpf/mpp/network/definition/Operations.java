package dev.prpf.mpp.network.definition;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operations that build the network. A value has N rows for each of B samples, (B * N, width). The interpreter defines it: numbers, a
 * graph node or a size. Parameters are named after their operation, see {@link NetworkSummary}.
 *
 * @param <V> type of a value
 */
public interface Operations<V> {
    /** Added to the variance in layer norms. */
    double NORM_EPSILON = 1e-5;

    /** Added to the scores of masked positions before a softmax. */
    double MASKED = -1e9;

    /** The activation after a linear map. */
    enum Activation {
        NONE,
        RELU
    }

    /** Attention pooling by Q learned queries of this name, (Q, width); scores are multiplied by the scale. */
    record Pooling(String name, int queries, double scale) {}

    V input(Input input);

    /** x Wᵀ + b, W (outputs, width of x): (B * N, outputs). */
    V linear(V x, String name, int outputs, Activation activation);

    /** Σ softmax(scale x·query) x over each sample's rows: (B * Q, width). Mask (B, Q * N): 1 if a query attends to a row; null for all. */
    V pool(V x, Pooling pooling, @Nullable V mask);

    /** Each sample's rows of all parts, one part after the other, with learned positions added: (B * N, width). */
    V tokens(String name, List<V> parts);

    /**
     * Scaled dot-product attention over H heads: (B * N, d).
     *
     * @param query its first d columns, N rows per sample
     * @param keyValue its last 2d columns, keys before values, M rows per sample; may be the same value as the query
     * @param mask (B, M), 1 if a row may be attended to; null for all
     */
    V attention(V query, V keyValue, @Nullable V mask);

    /** gain * norm(x + dropout(sublayer)) + bias: a post-norm residual connection with layer norm over the width. */
    V residualNorm(V x, V sublayer, String name);

    /** Concatenates the parts by columns, with dropout: (B * N, sum of widths). */
    V join(List<V> parts);
}
