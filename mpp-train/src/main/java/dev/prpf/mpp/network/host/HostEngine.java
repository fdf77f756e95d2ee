package dev.prpf.mpp.network.host;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Operations;
import dev.prpf.mpp.network.definition.Operations.DropoutSite;
import dev.prpf.mpp.network.definition.Operations.Input;
import dev.prpf.mpp.network.definition.Operations.Size;
import dev.prpf.mpp.network.definition.PerceiverDefinition;
import dev.prpf.mpp.network.definition.PerceiverDefinition.Outputs;
import java.nio.FloatBuffer;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.commons.lang3.ArrayUtils;
import org.bytedeco.javacpp.FloatPointer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a network, or its body, in floats on the processor and reads parameters in place. Plans of the last few batch shapes are cached.
 * Not thread-safe.
 */
public final class HostEngine implements AutoCloseable {
    private static final int PLANS_KEPT = 3;

    private final NetworkShape shape;
    private final ParameterStore parameters;
    private final Function<PerceiverDefinition<Value>, Outputs<Value>> part;
    private final long seed;
    private final int threads;
    private final Map<List<Integer>, Plan> trainingPlans = recent();
    private final Map<List<Integer>, Plan> inferencePlans = recent();
    private @Nullable Matrix gradients;
    private @Nullable Plan current;

    private HostEngine(
            ParameterStore parameters,
            Function<PerceiverDefinition<Value>, Outputs<Value>> part,
            long seed,
            int threads) {
        require(threads >= 1, "threads", threads, "at least 1");
        this.shape = parameters.shape();
        this.parameters = parameters;
        this.part = part;
        this.seed = seed;
        this.threads = threads;
    }

    /** Makes an engine of the whole network for inference on {@link WorkerPool#defaultThreads()}. Streams may share its parameters. */
    public HostEngine(ParameterStore parameters) {
        this(parameters, PerceiverDefinition::outputs, 0, WorkerPool.defaultThreads());
    }

    /**
     * Makes an engine of the body, {@link PerceiverDefinition#hidden}; its outputs are the heads' hidden layers, d columns each.
     *
     * @param values flat parameters, read in place at each pass
     * @param seed of dropout
     */
    public static HostEngine body(NetworkShape shape, FloatPointer values, long seed, int threads) {
        return new HostEngine(ParameterStore.body(shape, values), PerceiverDefinition::hidden, seed, threads);
    }

    /** Sets the flat array that backward passes write the gradients of all parameters to. */
    public void gradients(FloatPointer memory) {
        gradients = Matrix.at(memory, parameters.length());
        trainingPlans.clear();
        current = null;
    }

    private static Map<List<Integer>, Plan> recent() {
        return new LinkedHashMap<>(8, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<List<Integer>, Plan> eldest) {
                return size() > PLANS_KEPT;
            }
        };
    }

    /** A network prepared for one batch size and number of steps. */
    private record Plan(HostOperations operations, Outputs<Value> outputs, Schedule forward, Schedule backward) {}

    private Plan plan(int rows, int steps, boolean training) {
        return (training ? trainingPlans : inferencePlans).computeIfAbsent(List.of(rows, steps), size -> {
            Map<String, Value> values = parameters.byName(training ? gradients : null);
            Tape tape = new Tape(rows, threads, training);
            HostOperations operations = new HostOperations(shape, steps, values, tape);
            Outputs<Value> outputs = part.apply(new PerceiverDefinition<>(shape, operations));
            outputs.trigger().contribute();
            outputs.scenarios().contribute();
            Plan plan = new Plan(operations, outputs, tape.forwardSchedule(), tape.backwardSchedule());
            values.forEach((name, value) -> {
                if (training && !value.hasGradient()) {
                    throw new IllegalStateException("no step makes the gradient of parameter " + name);
                }
            });
            return plan;
        });
    }

    public ParameterStore parameters() {
        return parameters;
    }

    /**
     * Computes the logits of the batch's samples without dropout, before the sigmoids of PRPF eq. 7 and 8. A row holds a sample's trigger logit,
     * then its scenario logits: (n, 1 + S).
     */
    public double[][] logits(FeatureBatch batch) {
        Map<Input, FloatBuffer> inputs = new EnumMap<>(Input.class);
        batch.inputs().forEach((input, values) -> inputs.put(input, FloatBuffer.wrap(values)));
        Outputs<Value> outputs = run(plan(batch.rows(), batch.steps(), false), inputs);
        return IntStream.range(0, batch.samples().size())
                .mapToObj(row -> logits(outputs, row))
                .toArray(double[][]::new);
    }

    /** Copies a row of the trigger's and the scenarios' outputs, concatenated. */
    static double[] logits(Outputs<Value> outputs, int row) {
        float[] floats = row(outputs, row);
        return IntStream.range(0, floats.length).mapToDouble(i -> floats[i]).toArray();
    }

    private static float[] row(Outputs<Value> outputs, int row) {
        float[] trigger = new float[outputs.trigger().matrix().columns()];
        float[] scenarios = new float[outputs.scenarios().matrix().columns()];
        outputs.trigger().matrix().read(row, trigger);
        outputs.scenarios().matrix().read(row, scenarios);
        return ArrayUtils.addAll(trigger, scenarios);
    }

    private static Outputs<Value> run(Plan plan, Map<Input, FloatBuffer> inputs) {
        plan.operations.inputs().forEach((input, matrix) -> matrix.buffer()
                .put(Objects.requireNonNull(inputs.get(input)).duplicate()));
        plan.forward.run();
        return plan.outputs;
    }

    private static void read(Outputs<Value> outputs, FloatBuffer into) {
        for (int i = 0; i < outputs.trigger().matrix().rows(); i++) {
            into.put(row(outputs, i));
        }
    }

    /**
     * Writes both outputs, concatenated, without dropout.
     *
     * @param inputs each input's values, row-major
     * @param rows B
     * @param steps T
     * @param into (B, columns of both)
     */
    public void infer(Map<Input, FloatBuffer> inputs, int rows, int steps, FloatBuffer into) {
        read(run(plan(rows, steps, false), inputs), into);
    }

    /** Writes both outputs as {@link #infer}, but with dropout, for {@link #backward}. The step count seeds the masks. */
    public void forward(Map<Input, FloatBuffer> inputs, int rows, int steps, long step, FloatBuffer into) {
        if (gradients == null) {
            throw new IllegalStateException("no memory for gradients; call gradients before a training pass");
        }
        Plan plan = plan(rows, steps, true);
        current = plan;
        double dropout = shape.transformer().dropout();
        plan.operations.dropoutMasks().forEach((site, mask) -> mask.buffer().put(site.mask(rows, dropout, seed, step)));
        read(run(plan, inputs), into);
    }

    /** Writes the gradients of the last {@link #forward}, given d loss / d outputs, concatenated. */
    public void backward(FloatBuffer gradient) {
        if (current == null) {
            throw new IllegalStateException("no forward pass before the backward pass");
        }
        Matrix trigger = current.outputs.trigger().gradient();
        Matrix scenarios = current.outputs.scenarios().gradient();
        float[] ofTrigger = new float[trigger.columns()];
        float[] ofScenarios = new float[scenarios.columns()];
        for (int i = 0; i < trigger.rows(); i++) {
            gradient.get(ofTrigger).get(ofScenarios);
            trigger.write(i, ofTrigger);
            scenarios.write(i, ofScenarios);
        }
        current.backward.run();
    }

    /** Drops the plans of all batch shapes. */
    @Override
    public void close() {
        trainingPlans.clear();
        inferencePlans.clear();
        current = null;
    }

    /**
     * Builds a network as steps on matrices from its definition, for a fixed batch size on the processor.
     *
     * @param parameters by name; with gradients on a training tape
     * @param dropoutMasks filled before each training pass, in the order of the definition; empty for inference
     */
    record HostOperations(
            NetworkShape shape,
            int steps,
            Map<String, Value> parameters,
            Tape tape,
            Map<Input, Matrix> inputs,
            Map<DropoutSite, Matrix> dropoutMasks)
            implements Operations<Value> {
        HostOperations(NetworkShape shape, int steps, Map<String, Value> parameters, Tape tape) {
            this(shape, steps, parameters, tape, new EnumMap<>(Input.class), new LinkedHashMap<>());
        }

        private Value parameter(String name) {
            return Objects.requireNonNull(parameters.get(name), () -> "no parameter " + name);
        }

        @Override
        public Value input(Input input) {
            Size size = input.size(shape, steps);
            return Value.of(
                    inputs.computeIfAbsent(input, key -> Matrix.zeros(tape.batch() * size.rows(), size.columns())));
        }

        @Override
        public Value linear(Value x, String name, int outputs, Activation activation) {
            return Linear.append(
                    tape, x, parameter(name + ".weight"), parameter(name + ".bias"), activation == Activation.RELU);
        }

        @Override
        public Value pool(Value x, Pooling pooling, @Nullable Value mask) {
            return Attention.pooling(tape, x, parameter(pooling.name()), pooling.scale(), mask);
        }

        @Override
        public Value tokens(String name, List<Value> parts) {
            return Tokens.append(tape, parts, parameter(name + ".position"), null);
        }

        @Override
        public Value attention(Value query, Value keyValue, @Nullable Value mask) {
            return Attention.multiHead(tape, query, keyValue, mask, shape.transformer());
        }

        @Override
        public Value residualNorm(Value x, Value sublayer, String name) {
            Matrix mask = dropout(sublayer.matrix().rows(), sublayer.matrix().columns());
            return ResidualNorm.append(
                    tape, List.of(x, sublayer), parameter(name + ".gain"), parameter(name + ".bias"), mask);
        }

        /** Joins one row per sample of each part: tokens, reshaped to one row. */
        @Override
        public Value join(List<Value> parts) {
            int columns = parts.get(0).matrix().columns();
            Matrix mask = dropout(tape.batch(), parts.size() * columns);
            Value tokens = Tokens.append(tape, parts, null, mask == null ? null : mask.reshaped(columns));
            return tokens.reshaped(parts.size() * columns);
        }

        /** Returns the mask of the next dropout site; null without dropout. */
        private @Nullable Matrix dropout(int rows, int columns) {
            if (shape.transformer().dropout() == 0 || !tape.training()) {
                return null;
            }
            Matrix mask = Matrix.zeros(rows, columns);
            dropoutMasks.put(DropoutSite.of(dropoutMasks.size(), new Size(rows / tape.batch(), columns)), mask);
            return mask;
        }
    }
}
