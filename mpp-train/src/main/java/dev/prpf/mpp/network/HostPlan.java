package dev.prpf.mpp.network;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The body of {@link MppBody} for floats in host memory: the same mathematics in fewer and larger steps, with gradients by hand. Products
 * go to BLAS as the arrays lie; all else is one pass over rows. {@link PortablePlan} is the truth it is tested against. Axes as there.
 */
final class HostPlan implements BodyPlan {
    private final NetworkShape shape;
    private final int batch;
    private final HostTape tape;
    private final boolean training;
    private final Map<String, HostMatrix> placeholders = new HashMap<>();
    private final List<MppBody.DropoutSite> dropoutSites = new ArrayList<>();
    private final HostValue fused;
    private final LaneSchedule forward;
    private final LaneSchedule backward;

    /**
     * @param shape the network
     * @param batch B
     * @param steps T
     * @param parameters the parameters' arrays by name
     * @param gradients arrays that receive the gradients, by the parameters' names; empty for inference
     */
    HostPlan(
            NetworkShape shape,
            int batch,
            int steps,
            Map<String, INDArray> parameters,
            Map<String, INDArray> gradients) {
        this.shape = shape;
        this.batch = batch;
        training = !gradients.isEmpty();
        tape = new HostTape(batch, parameters, gradients);
        fused = fuse(steps);
        if (training) {
            placeholders.put(BodyGraph.COTANGENT, fused.contribute().target());
        }
        forward = tape.forwardSchedule();
        backward = tape.backwardSchedule();
    }

    private HostValue fuse(int steps) {
        if (!shape.fast()) {
            return join(pool(slowChannel(steps), null, "slow"));
        }
        HostMatrix recentMask = placeholder(MppBody.RECENT_MASK, batch, shape.recentSteps());
        HostValue fast = fastChannel(recentMask);
        if (!shape.slow()) {
            return join(pool(fast, recentMask, "fast"));
        }
        HostValue slow = slowChannel(steps);
        HostValue slowSeesFast = crossAttention(slow, fast, recentMask, "cross.slow");
        HostValue fastSeesSlow = crossAttention(fast, slow, null, "cross.fast");
        return join(pool(slowSeesFast, null, "slow"), pool(fastSeesSlow, recentMask, "fast"));
    }

    private HostValue pool(HostValue channel, @Nullable HostMatrix mask, String name) {
        return HostPooling.append(tape, channel, name + ".readout.query", mask, 1);
    }

    private HostValue join(HostValue... parts) {
        return HostJoin.append(tape, drop(1, shape.fusedWidth()), parts);
    }

    private HostValue slowChannel(int steps) {
        HostValue texts = HostLinear.plain(tape, contextTexts(), "context"); // (B * 3, d)
        HostMatrix frameMask = placeholder(MppBody.FRAME_MASK, batch, steps);
        HostValue frames = input(MppBody.FRAMES, batch * steps, shape.stepWidth());
        HostValue pooled = HostPooling.append(tape, frames, "slow.pool.query", frameMask, 1); // (B, 2E)
        HostValue trajectory = HostLinear.plain(tape, pooled, "frames"); // (B, d)
        return encoder(HostTokens.append(tape, "slow.position", texts, trajectory), null, "slow");
    }

    private HostValue contextTexts() {
        int n = NetworkShape.CONTEXT * shape.textVectors();
        HostValue context = input(MppBody.CONTEXT, batch * n, shape.width());
        if (shape.sentences() == 0) {
            return context;
        }
        HostMatrix mask = placeholder(MppBody.CONTEXT_MASK, batch, NetworkShape.CONTEXT * n);
        return HostPooling.append(tape, context, "slow.context.query", mask, Math.sqrt(shape.width()));
    }

    private HostValue fastChannel(HostMatrix mask) {
        HostValue recent = input(MppBody.RECENT, batch * shape.recentSteps(), shape.stepWidth());
        HostValue projected = HostLinear.plain(tape, HostLinear.plain(tape, recent, "frames"), "fast.projection");
        return encoder(HostTokens.append(tape, "fast.position", projected), mask, "fast");
    }

    private HostValue encoder(HostValue tokens, @Nullable HostMatrix mask, String name) {
        int d = shape.dimension();
        int rows = tokens.matrix().rows() / batch;
        HostValue x = tokens;
        for (int layer = 0; layer < shape.layers(); layer++) {
            String prefix = name + "." + layer;
            HostValue qkv = HostLinear.plain(tape, x, prefix + ".qkv");
            HostValue attended = attention(columns(qkv, 0), columns(qkv, d), columns(qkv, 2 * d), mask);
            HostValue out = HostLinear.plain(tape, attended, prefix + ".out");
            x = HostResidualNorm.append(tape, x, out, drop(rows, d));
            HostValue fed = HostLinear.plain(tape, HostLinear.relu(tape, x, prefix + ".up"), prefix + ".down");
            x = HostResidualNorm.append(tape, x, fed, drop(rows, d));
        }
        return x;
    }

    private HostValue crossAttention(HostValue asking, HostValue answering, @Nullable HostMatrix mask, String name) {
        HostValue kv = HostLinear.plain(tape, answering, name + ".keyvalue");
        HostValue q = HostLinear.plain(tape, asking, name + ".query");
        HostValue attended = attention(columns(q, 0), columns(kv, 0), columns(kv, shape.dimension()), mask);
        return HostLinear.plain(tape, attended, name + ".out");
    }

    private HostValue attention(
            HostAttention.Columns asking,
            HostAttention.Columns keys,
            HostAttention.Columns answers,
            @Nullable HostMatrix mask) {
        HostAttention.Heads heads = new HostAttention.Heads(shape.heads(), shape.dimension(), mask);
        return HostAttention.append(tape, asking, keys, answers, heads);
    }

    private static HostAttention.Columns columns(HostValue value, int from) {
        return new HostAttention.Columns(value, from);
    }

    /** The mask of the next place where units are dropped; none in inference. */
    private @Nullable HostMatrix drop(int rows, int columns) {
        if (shape.dropout() == 0) {
            return null;
        }
        String name = "dropout." + dropoutSites.size();
        dropoutSites.add(new MppBody.DropoutSite(name, rows, columns));
        return training ? placeholder(name, batch * rows, columns) : null;
    }

    private HostValue input(String name, int rows, int columns) {
        return HostTape.input(name, placeholder(name, rows, columns));
    }

    private HostMatrix placeholder(String name, int rows, int columns) {
        HostMatrix matrix = HostMatrix.zeros(rows, columns);
        placeholders.put(name, matrix);
        return matrix;
    }

    @Override
    public boolean hasPlaceholder(String name) {
        return placeholders.containsKey(name);
    }

    @Override
    public INDArray placeholder(String name) {
        HostMatrix matrix = placeholders.get(name);
        if (matrix == null) {
            throw new IllegalStateException("the plan has no placeholder " + name);
        }
        return matrix.array();
    }

    @Override
    public List<MppBody.DropoutSite> dropoutSites() {
        return dropoutSites;
    }

    @Override
    public INDArray fused() {
        return fused.matrix().array();
    }

    @Override
    public void runForward() {
        forward.run();
    }

    @Override
    public void runBackward() {
        backward.run();
    }

    @Override
    public List<LaneSchedule> schedules() {
        return List.of(forward, backward);
    }
}
