package dev.prpf.mpp.network.host;

import dev.prpf.mpp.network.definition.Input;
import dev.prpf.mpp.network.definition.Logits;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.PerceiverDefinition;
import dev.prpf.mpp.network.definition.PerceiverDefinition.Fast;
import dev.prpf.mpp.network.definition.PerceiverDefinition.Outputs;
import dev.prpf.mpp.network.definition.PerceiverDefinition.Slow;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The network on one sample that grows: what depends on one text or step alone is computed when that arrives and kept, the rest for
 * each answer, so that neither time nor memory grows with the steps that are no longer seen. Not for use by two threads at once.
 */
public final class HostStream {
    private final NetworkShape shape;
    private final ParameterStore parameters;
    private final int threads;
    private final Value recentTokens; // (k, d), the newest in the last row
    private final Matrix recentMask; // (1, k)
    private final Matrix newest; // (1, 2E)
    private final @Nullable Part<Value> context; // makes (3, d); null without the slow channel
    private final @Nullable Part<Value> step; // makes (1, d) of the newest; null without the fast channel
    private Window window;
    private long first; // the oldest step that is seen
    private long steps;

    /** A part of the network, prepared, with what it computes. */
    private record Part<R>(Schedule schedule, Map<Input, Matrix> inputs, R result) {
        R run() {
            schedule.run();
            return result;
        }
    }

    /**
     * The steps that are seen and what answers from them.
     *
     * @param frames (T, 2E), step t in row t mod T
     * @param mask (1, T)
     */
    private record Window(Matrix frames, Matrix mask, Part<Outputs<Value>> answer) {
        int row(long step) {
            return (int) (step % frames.rows());
        }

        void see(long step, float seen) {
            mask.write(0, row(step), new float[] {seen});
        }
    }

    private interface Building<R> {
        R with(PerceiverDefinition<Value> definition, HostOperations operations);
    }

    /**
     * An empty stream.
     *
     * @param parameters may be shared with other streams
     * @param threads that share the work
     */
    public HostStream(NetworkShape shape, ParameterStore parameters, int threads) {
        this.shape = shape;
        this.parameters = parameters;
        this.threads = threads;
        int d = shape.dimension();
        context = shape.slow() ? part(1, HostStream::context) : null;
        newest = Matrix.zeros(1, shape.stepWidth());
        step = shape.fast() ? part(1, (definition, operations) -> definition.recentTokens(Value.of(newest))) : null;
        recentTokens = Value.of(Matrix.zeros(shape.recentSteps(), d));
        recentMask = Matrix.zeros(1, shape.recentSteps());
        window = window(shape.batchSteps(1));
    }

    private <R> Part<R> part(int t, Building<R> building) {
        Tape tape = new Tape(1, threads, false);
        HostOperations operations = new HostOperations(shape, t, parameters.byName(null), tape);
        R result = building.with(new PerceiverDefinition<>(shape, operations), operations);
        return new Part<>(tape.forwardSchedule(), operations.inputs(), result);
    }

    private static Value context(PerceiverDefinition<Value> definition, HostOperations operations) {
        return definition.contextTokens(operations.input(Input.CONTEXT), operations.input(Input.CONTEXT_MASK));
    }

    private Window window(int t) {
        Matrix frames = Matrix.zeros(t, shape.stepWidth());
        Matrix mask = Matrix.zeros(1, t);
        Slow<Value> slow = context == null ? null : new Slow<>(context.result, Value.of(frames), Value.of(mask));
        Fast<Value> fast = step == null ? null : new Fast<>(recentTokens, Value.of(recentMask));
        return new Window(frames, mask, part(t, (definition, operations) -> definition.outputs(slow, fast)));
    }

    /**
     * Replaces one text of the context.
     *
     * @param place 0 profile, 1 phone, 2 world
     * @param vectors of the text or its sentences, (N, E), N at least 1
     */
    public void context(int place, float[][] vectors) {
        if (context == null) {
            return;
        }
        int most = shape.textVectors();
        Matrix rows = Objects.requireNonNull(context.inputs.get(Input.CONTEXT));
        Matrix mask = Objects.requireNonNull(context.inputs.get(Input.CONTEXT_MASK));
        float[] masks = new float[NetworkShape.CONTEXT * most];
        for (int i = 0; i < Math.min(most, vectors.length); i++) {
            rows.write(place * most + i, vectors[i]);
            masks[place * most + i] = 1;
        }
        mask.write(0, place * masks.length, masks);
        context.run();
    }

    /**
     * Adds the newest step.
     *
     * @param column first column of a step's input that the vector fills
     */
    public void step(float[] vector, int column) {
        if (steps - first == window.frames.rows()) {
            grow();
        }
        newest.write(0, new float[shape.stepWidth()]);
        newest.write(0, column, vector);
        copyRow(newest, 0, window.frames, window.row(steps));
        window.see(steps, 1);
        steps++;
        if (step != null) {
            int k = shape.recentSteps();
            for (int row = 1; row < k; row++) {
                copyRow(recentTokens.matrix(), row, recentTokens.matrix(), row - 1);
            }
            copyRow(step.run().matrix(), 0, recentTokens.matrix(), k - 1);
            recentMask.write(0, k - (int) Math.min(steps, k), new float[] {1});
        }
    }

    /** Leaves the oldest step out of all answers to come. */
    public void forgetOldest() {
        window.see(first, 0);
        first++;
    }

    private static void copyRow(Matrix from, int row, Matrix to, int target) {
        float[] values = new float[from.columns()];
        from.read(row, values);
        to.write(target, values);
    }

    /** Makes room for more steps than are seen now. */
    private void grow() {
        Window old = window;
        window = window(shape.batchSteps(old.frames.rows() + 1));
        for (long t = first; t < steps; t++) {
            copyRow(old.frames, old.row(t), window.frames, window.row(t));
            window.see(t, 1);
        }
    }

    /** The logits of the context and the steps that are seen. */
    public Logits answer() {
        return Logits.of(HostPlan.rows(window.answer.run()), 1);
    }
}
