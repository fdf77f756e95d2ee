package dev.prpf.mpp.network.definition;

import java.util.List;
import java.util.SplittableRandom;
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

    /** A dropout operation: the name of its random stream and the size of its input. */
    record DropoutSite(String name, Size size) {
        /** The n-th site of a definition, from 0. */
        public static DropoutSite of(int n, Size size) {
            return new DropoutSite("dropout." + n, size);
        }

        /** Returns a batch's mask of 0 and 1 / (1 - dropout). It depends only on seed and step, so a resumed run has the same masks. */
        public float[] mask(int batch, double dropout, long seed, long step) {
            float kept = (float) (1 / (1 - dropout));
            int threshold = (int) Math.round((dropout - 0.5) * 0x1p32);
            SplittableRandom random = new SplittableRandom(seed * 31 + step * 0x9E3779B97F4A7C15L + name.hashCode());
            float[] mask = new float[Math.multiplyExact(batch, size.length())];
            for (int i = 0; i < mask.length; i++) {
                mask[i] = random.nextInt() < threshold ? 0 : kept;
            }
            return mask;
        }
    }

    /** The size of a value: rows per sample, and width. */
    record Size(int rows, int columns) {
        /** Number of elements per sample. */
        public int length() {
            return Math.multiplyExact(rows, columns);
        }
    }

    /** An input of the network; {@link FeatureBatch} fills it. */
    enum Input {
        /** Vectors of profile, phone and world. */
        CONTEXT,
        /** 1 if a vector belongs to the text, for each of the three texts; only if texts have several vectors. */
        CONTEXT_MASK,
        /** The steps within the window. */
        FRAMES,
        /** 1 if the step exists, 0 for padding. */
        FRAME_MASK,
        /** The last k steps, the newest in the last row. */
        RECENT,
        /** 1 if the step exists, 0 for padding. */
        RECENT_MASK;

        /** Returns the input's size for one sample of T steps. */
        public Size size(NetworkShape shape, int steps) {
            int texts = NetworkShape.CONTEXT * shape.textVectors();
            return switch (this) {
                case CONTEXT -> new Size(texts, shape.width());
                case CONTEXT_MASK -> new Size(1, NetworkShape.CONTEXT * texts);
                case FRAMES -> new Size(steps, shape.stepWidth());
                case FRAME_MASK -> new Size(1, steps);
                case RECENT -> new Size(shape.window().recentSteps(), shape.stepWidth());
                case RECENT_MASK -> new Size(1, shape.window().recentSteps());
            };
        }

        /** Returns whether a network of this shape reads the input. */
        public boolean isRead(NetworkShape shape) {
            return switch (this) {
                case CONTEXT, FRAMES, FRAME_MASK -> shape.slow();
                case CONTEXT_MASK -> shape.slow() && shape.inputs().sentences() > 0;
                case RECENT, RECENT_MASK -> shape.fast();
            };
        }
    }
}
