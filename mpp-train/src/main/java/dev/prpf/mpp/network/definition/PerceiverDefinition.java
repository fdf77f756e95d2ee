package dev.prpf.mpp.network.definition;

import dev.prpf.mpp.network.definition.Operations.Activation;
import dev.prpf.mpp.network.definition.Operations.Input;
import dev.prpf.mpp.network.definition.Operations.Pooling;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Defines the perceiver's network, from encoder vectors to logits (PRPF eq. 3 to 8). Axes: B batch, T steps, k recent steps, E encoder width,
 * d unified width, S scenarios.
 *
 * <p>Departure from the paper: H_img is pooled before the projection (eq. 3 and 4). The result is equal, since the projection is affine and
 * the pooling weights sum to 1. Our choices where the paper is silent: learned positions, post-norm encoder layers with ReLU, one hidden
 * layer per head, one query per attention pooling. The scores of eq. 4 are not scaled. Those of sentences, which the paper lacks, are
 * multiplied by √E.
 *
 * @param <V> a value of the interpreter
 */
public final class PerceiverDefinition<V> {
    static final String TRIGGER_LOGITS = "trigger.logits";
    static final String SCENARIO_LOGITS = "scenario.logits";

    private final NetworkShape shape;
    private final Operations<V> operations;
    private final int d;

    public PerceiverDefinition(NetworkShape shape, Operations<V> operations) {
        this.shape = shape;
        this.operations = operations;
        this.d = shape.transformer().dimension();
    }

    /** The values of both heads: logits, (B, 1) for the trigger and (B, S) for the scenarios, or hidden layers, (B, d) each. */
    public record Outputs<V>(V trigger, V scenarios) {}

    /** Input of the slow channel: {@link #contextTokens}, all steps, (B * T, 2E), and their mask, (B, T). */
    public record Slow<V>(V context, V frames, V mask) {}

    /** Input of the fast channel: {@link #recentTokens} of the last k steps and their mask, (B, k). */
    public record Fast<V>(V recent, V mask) {}

    /** Computes the logits of a batch. */
    public Outputs<V> outputs() {
        return logits(hidden());
    }

    /** Computes the hidden layers of both heads for a batch, (B, d) each: the network without the last linear layer of each head. */
    public Outputs<V> hidden() {
        Slow<V> slow = null;
        Fast<V> fast = null;
        if (shape.slow()) {
            V mask = shape.inputs().sentences() > 0 ? operations.input(Input.CONTEXT_MASK) : null;
            V context = contextTokens(operations.input(Input.CONTEXT), mask);
            slow = new Slow<>(context, operations.input(Input.FRAMES), operations.input(Input.FRAME_MASK));
        }
        if (shape.fast()) {
            fast = new Fast<>(recentTokens(operations.input(Input.RECENT)), operations.input(Input.RECENT_MASK));
        }
        return hidden(slow, fast);
    }

    /**
     * Projects the three context texts to the unified width (eq. 3), (B * 3, d): each text's vector, or its sentences' vectors pooled by the
     * text's query. Unit vectors are scored as if their entries had variance 1; unscaled, a query would learn very slowly.
     */
    public V contextTokens(V context, @Nullable V mask) {
        Pooling sentences = new Pooling("slow.context.query", NetworkShape.CONTEXT, Math.sqrt(shape.width()));
        V texts = shape.inputs().sentences() > 0 ? operations.pool(context, sentences, mask) : context; // (B * 3, E)
        return linear(texts, "context", d);
    }

    /** Projects steps to the unified width (eq. 3) and through the fast channel's projection: (rows, 2E) to (rows, d). */
    public V recentTokens(V steps) {
        return linear(linear(steps, "frames", d), "fast.projection", d);
    }

    /** Computes the logits from the channels' encodings; null for a channel that is off. */
    public Outputs<V> outputs(@Nullable Slow<V> slow, @Nullable Fast<V> fast) {
        return logits(hidden(slow, fast));
    }

    private Outputs<V> hidden(@Nullable Slow<V> slow, @Nullable Fast<V> fast) {
        V slowTokens = slow == null ? null : encoder(slowTokens(slow), null, "slow");
        V fastTokens =
                fast == null ? null : encoder(operations.tokens("fast", List.of(fast.recent)), fast.mask, "fast");
        List<V> readouts = new ArrayList<>();
        if (slow != null && slowTokens != null) {
            V seen = fast == null || fastTokens == null
                    ? slowTokens
                    : crossAttention(slowTokens, fastTokens, fast.mask, "cross.slow");
            readouts.add(readout(seen, null, "slow"));
        }
        if (fast != null && fastTokens != null) {
            V seen = slowTokens == null ? fastTokens : crossAttention(fastTokens, slowTokens, null, "cross.fast");
            readouts.add(readout(seen, fast.mask, "fast"));
        }
        V z = operations.join(readouts); // (B, 2d), or (B, d) with one channel
        return new Outputs<>(hidden(z, "trigger"), hidden(z, "scenario"));
    }

    /** Profile, phone, world and the pooled trajectory (eq. 4): (B * 4, d). */
    private V slowTokens(Slow<V> slow) {
        V pooled = operations.pool(slow.frames, new Pooling("slow.pool.query", 1, 1), slow.mask); // (B, 2E)
        return operations.tokens("slow", List.of(slow.context, linear(pooled, "frames", d)));
    }

    /** A post-norm Transformer encoder: (B * N, d). */
    private V encoder(V tokens, @Nullable V mask, String channel) {
        V x = tokens;
        for (int layer = 0; layer < shape.transformer().layers(); layer++) {
            String name = channel + "." + layer;
            V qkv = linear(x, name + ".qkv", 3 * d);
            V attended = linear(operations.attention(qkv, qkv, mask), name + ".out", d);
            x = operations.residualNorm(x, attended, name + ".attention.norm");
            V inner = operations.linear(x, name + ".up", shape.transformer().feedForward(), Activation.RELU);
            x = operations.residualNorm(x, linear(inner, name + ".down", d), name + ".feed-forward.norm");
        }
        return x;
    }

    /** One channel's rows are the queries, the other's keys and values (eq. 6): (B * N, d). */
    private V crossAttention(V queries, V keysAndValues, @Nullable V mask, String name) {
        V query = linear(queries, name + ".query", d);
        V keyValue = linear(keysAndValues, name + ".keyvalue", 2 * d);
        return linear(operations.attention(query, keyValue, mask), name + ".out", d);
    }

    /** Attention pooling of a channel: (B, d). */
    private V readout(V x, @Nullable V mask, String channel) {
        return operations.pool(x, new Pooling(channel + ".readout.query", 1, 1), mask);
    }

    /** The first layer of MLP_trig or MLP_scenario (eq. 7 and 8): (B, d). */
    private V hidden(V z, String name) {
        return operations.linear(z, name + ".hidden", d, Activation.RELU);
    }

    /** The last layer of MLP_trig and MLP_scenario before the sigmoid (eq. 7 and 8). */
    private Outputs<V> logits(Outputs<V> hidden) {
        return new Outputs<>(
                linear(hidden.trigger, TRIGGER_LOGITS, 1),
                linear(hidden.scenarios, SCENARIO_LOGITS, shape.scenarios()));
    }

    private V linear(V x, String name, int outputs) {
        return operations.linear(x, name, outputs, Activation.NONE);
    }
}
