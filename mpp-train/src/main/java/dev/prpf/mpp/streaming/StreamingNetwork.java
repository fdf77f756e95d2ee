package dev.prpf.mpp.streaming;

import dev.prpf.mpp.network.MppNetwork.NamedArray;
import dev.prpf.mpp.network.NetworkShape;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The trained network in plain Java for one sample at a time (PRPF eq. 3 to 8), in two halves: what depends on one text or step alone is
 * computed once when that arrives, what mixes them is computed for each answer. Its outputs are those of
 * {@link dev.prpf.mpp.network.MppNetwork} up to rounding. Immutable: sessions and threads share it.
 */
public final class StreamingNetwork {
    private final NetworkShape shape;
    private final Linear screens; // (E, d)
    private final Linear texts; // (E, d)
    private final @Nullable SlowChannel slow;
    private final @Nullable FastChannel fast;
    private final @Nullable CrossAttention cross;
    private final Head trigger;
    private final Head scenario;

    /**
     * @param shape the network's dimensions
     * @param trained every trainable array, see {@link dev.prpf.mpp.network.MppNetwork#parameters}
     */
    public StreamingNetwork(NetworkShape shape, Map<String, NamedArray> trained) {
        NetworkArrays arrays = new NetworkArrays(trained);
        this.shape = shape;
        Linear.Span all = Linear.Span.first(shape.dimension());
        screens = arrays.slice("frames", all, Linear.Span.first(shape.width()));
        texts = arrays.slice("frames", all, new Linear.Span(shape.width(), shape.stepWidth()));
        slow = shape.slow() ? new SlowChannel(arrays, shape) : null;
        fast = shape.fast() ? new FastChannel(arrays, shape) : null;
        cross = shape.slow() && shape.fast() ? CrossAttention.of(arrays, shape) : null;
        trigger = Head.of(arrays, "trigger");
        scenario = Head.of(arrays, "scenario");
    }

    /** PRPF eq. 6: each channel asks the other. */
    private record CrossAttention(MultiHeadAttention slowAsks, MultiHeadAttention fastAsks) {
        static CrossAttention of(NetworkArrays arrays, NetworkShape shape) {
            return new CrossAttention(asking(arrays, "cross.slow", shape), asking(arrays, "cross.fast", shape));
        }

        private static MultiHeadAttention asking(NetworkArrays arrays, String name, NetworkShape shape) {
            String keyValue = name + ".keyvalue";
            return new MultiHeadAttention(
                    shape.heads(),
                    arrays.body(name + ".query"),
                    arrays.part(keyValue, 0, shape.dimension()),
                    arrays.part(keyValue, 1, shape.dimension()),
                    arrays.body(name + ".out"));
        }
    }

    /** PRPF eq. 7 and 8 before the sigmoid: one hidden layer. */
    private record Head(Linear hidden, Linear out) {
        static Head of(NetworkArrays arrays, String name) {
            return new Head(arrays.head(name + "-hidden"), arrays.head(name));
        }

        float[] apply(float[] z) {
            float[] inner = hidden.apply(z);
            Rows.relu(inner);
            return out.apply(inner);
        }
    }

    /**
     * The network's word on one moment, before the sigmoids.
     *
     * @param trigger logit of p_trigger
     * @param scenarios logits of p_scenario, shape (S)
     */
    public record Answer(float trigger, float[] scenarios) {}

    public NetworkShape shape() {
        return shape;
    }

    /** A context text's vectors (N, E) as the slow channel takes them (d); empty when that channel is off. */
    float[] contextToken(int place, float[][] vectors) {
        return slow == null ? new float[0] : slow.contextToken(place, vectors);
    }

    /** A step's vector (E) as the channels take it. */
    ProjectedStep step(float[] vector, boolean screenshot) {
        boolean screenColumns = screenshot && !shape.sharedSteps();
        float[] projected = (screenColumns ? screens : texts).apply(vector);
        return new ProjectedStep(
                slow == null ? 0 : slow.score(vector, screenColumns),
                projected,
                fast == null ? new float[0] : fast.token(projected));
    }

    /**
     * What the network says of a context and the steps that it sees, oldest first, at least one.
     *
     * @param contextTokens shape (3, d)
     */
    Answer answer(float[][] contextTokens, List<ProjectedStep> steps) {
        float[] z = fused(contextTokens, steps);
        return new Answer(trigger.apply(z)[0], scenario.apply(z));
    }

    private float[] fused(float[][] contextTokens, List<ProjectedStep> steps) {
        if (slow == null || fast == null || cross == null) {
            if (slow != null) {
                return slow.readout(slow.tokens(contextTokens, steps));
            }
            FastChannel only = Objects.requireNonNull(fast);
            return only.readout(only.tokens(steps));
        }
        float[][] slowTokens = slow.tokens(contextTokens, steps);
        float[][] fastTokens = fast.tokens(steps);
        float[] seen = slow.readout(cross.slowAsks.apply(slowTokens, fastTokens));
        float[] recent = fast.readout(cross.fastAsks.apply(fastTokens, slowTokens));
        float[] z = Arrays.copyOf(seen, seen.length + recent.length);
        System.arraycopy(recent, 0, z, seen.length, recent.length);
        return z;
    }
}
