package dev.prpf.mpp.network.host;

import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Operations.Input;
import dev.prpf.mpp.network.definition.PerceiverDefinition;
import dev.prpf.mpp.network.definition.PerceiverDefinition.Fast;
import dev.prpf.mpp.network.definition.PerceiverDefinition.Outputs;
import dev.prpf.mpp.network.definition.PerceiverDefinition.Slow;
import dev.prpf.mpp.network.host.HostEngine.HostOperations;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The network on one growing sample, a stream of encoder vectors. The projection of a text or step is computed once, on arrival, the rest for
 * each answer. So time and memory do not grow with steps outside the window. Not thread-safe.
 */
public final class HostStream {
    private final NetworkShape shape;
    private final ParameterStore parameters;
    private final Value recentTokens; // (k, d), the newest in the last row
    private final Matrix recentMask; // (1, k)
    private final Matrix newest; // (1, 2E)
    private final @Nullable Part<Value> context; // makes (3, d); null without the slow channel
    private final @Nullable Part<Value> step; // makes (1, d) of the newest; null without the fast channel
    private final boolean[] given = new boolean[NetworkShape.CONTEXT];
    private final Deque<Boolean> screenshots = new ArrayDeque<>(); // of the steps in the window
    private int frames; // number of screenshots in the window
    private Window window;
    private long steps;

    private record Part<R>(Schedule schedule, Map<Input, Matrix> inputs, R result) {
        R run() {
            schedule.run();
            return result;
        }
    }

    /** The steps in the window, (T, 2E) with step t in row t mod T, and the network on them. */
    private record Window(Matrix frames, Matrix mask, Part<Outputs<Value>> answer) {
        int row(long step) {
            return (int) (step % frames.rows());
        }

        void see(long step, float seen) {
            mask.write(0, row(step), new float[] {seen});
        }
    }

    /** Makes an empty stream on {@link WorkerPool#defaultThreads()}; streams may share the parameters. */
    public HostStream(ParameterStore parameters) {
        this.shape = parameters.shape();
        this.parameters = parameters;
        context = shape.slow() ? part(1, HostStream::context) : null;
        newest = Matrix.zeros(1, shape.stepWidth());
        step = shape.fast() ? part(1, (definition, inputs) -> definition.recentTokens(Value.of(newest))) : null;
        recentTokens = Value.of(
                Matrix.zeros(shape.window().recentSteps(), shape.transformer().dimension()));
        recentMask = Matrix.zeros(1, shape.window().recentSteps());
        window = window(shape.batchSteps(1));
    }

    private <R> Part<R> part(int t, BiFunction<PerceiverDefinition<Value>, HostOperations, R> building) {
        Tape tape = new Tape(1, WorkerPool.defaultThreads(), false);
        HostOperations operations = new HostOperations(shape, t, parameters.byName(null), tape);
        R result = building.apply(new PerceiverDefinition<>(shape, operations), operations);
        return new Part<>(tape.forwardSchedule(), operations.inputs(), result);
    }

    private static Value context(PerceiverDefinition<Value> definition, HostOperations operations) {
        return definition.contextTokens(operations.input(Input.CONTEXT), operations.input(Input.CONTEXT_MASK));
    }

    private Window window(int t) {
        Matrix seen = Matrix.zeros(t, shape.stepWidth());
        Matrix mask = Matrix.zeros(1, t);
        Slow<Value> slow = context == null ? null : new Slow<>(context.result, Value.of(seen), Value.of(mask));
        Fast<Value> fast = step == null ? null : new Fast<>(recentTokens, Value.of(recentMask));
        return new Window(seen, mask, part(t, (definition, inputs) -> definition.outputs(slow, fast)));
    }

    /**
     * Replaces one text of the context.
     *
     * @param place 0 profile, 1 phone, 2 world
     * @param vectors its encodings, shape (N, E): of the whole text, or of each sentence, cut to the network's limit
     */
    public void context(int place, float[][] vectors) {
        if (vectors.length == 0 || (shape.inputs().sentences() == 0 && vectors.length > 1)) {
            throw new IllegalArgumentException("a context text has " + vectors.length + " vectors, the network takes "
                    + (shape.inputs().sentences() == 0 ? "one" : "at least one, one for each sentence"));
        }
        for (float[] vector : vectors) {
            check(vector);
        }
        given[place] = true;
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

    private void check(float[] vector) {
        if (vector.length != shape.width()) {
            throw new IllegalArgumentException(
                    "a vector of " + vector.length + " numbers, the network takes " + shape.width());
        }
        for (float value : vector) {
            if (!Float.isFinite(value)) {
                throw new IllegalArgumentException("a vector holds " + value + ", must be a finite number");
            }
        }
    }

    /** Adds a step and drops the steps that leave the window (see {@link NetworkShape.Window#seen}). */
    public void step(float[] vector, boolean screenshot) {
        check(vector);
        screenshots.add(screenshot);
        frames += screenshot ? 1 : 0;
        while (screenshots.size() > shape.window().maxSteps()
                || frames > shape.window().maxScreenshots()) {
            window.see(steps + 1 - screenshots.size(), 0);
            frames -= screenshots.remove() ? 1 : 0;
        }
        if (screenshots.size() > window.frames.rows()) {
            grow();
        }
        newest.write(0, new float[shape.stepWidth()]);
        newest.write(0, shape.stepColumn(screenshot), vector);
        copyRow(newest, 0, window.frames, window.row(steps));
        window.see(steps, 1);
        steps++;
        if (step != null) {
            int k = shape.window().recentSteps();
            for (int row = 1; row < k; row++) {
                copyRow(recentTokens.matrix(), row, recentTokens.matrix(), row - 1);
            }
            copyRow(step.run().matrix(), 0, recentTokens.matrix(), k - 1);
            recentMask.write(0, k - (int) Math.min(steps, k), new float[] {1});
        }
    }

    private static void copyRow(Matrix from, int row, Matrix to, int target) {
        float[] values = new float[from.columns()];
        from.read(row, values);
        to.write(target, values);
    }

    /** Makes room for the newest step, which is not yet in the window. */
    private void grow() {
        Window old = window;
        window = window(shape.batchSteps(screenshots.size()));
        for (long t = steps + 1 - screenshots.size(); t < steps; t++) {
            copyRow(old.frames, old.row(t), window.frames, window.row(t));
            window.see(t, 1);
        }
    }

    /** Number of steps so far, including dropped ones. */
    public long steps() {
        return steps;
    }

    /**
     * Returns the logits of the context and the steps in the window: the trigger's, then the scenarios', (1 + S).
     *
     * @throws IllegalStateException before the first step or before all context texts are set
     */
    public double[] answer() {
        if (steps == 0) {
            throw new IllegalStateException("no step yet: a decision needs at least one");
        }
        for (boolean text : given) {
            if (!text) {
                throw new IllegalStateException("no context yet: set profile, phone and world first");
            }
        }
        return HostEngine.logits(window.answer.run(), 0);
    }
}
