package dev.prpf.mpp.network.host;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkEngine;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Parameter;
import dev.prpf.mpp.network.definition.PerceiverDefinition;
import dev.prpf.mpp.network.definition.PerceiverDefinition.Outputs;
import java.nio.FloatBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A network in floats on the processor; plans of the last few batch shapes are kept. */
public final class HostEngine implements NetworkEngine {
    private static final int PLANS_KEPT = 3;

    private final NetworkShape shape;
    private final long seed;
    private final int threads;
    private final ParameterStore parameters;
    private final Matrix gradients;
    private final Map<List<Integer>, Plan> trainingPlans = recent();
    private final Map<List<Integer>, Plan> inferencePlans = recent();
    private @Nullable Plan current;

    /** A network of zeros on some threads; the seed is of dropout. */
    public HostEngine(NetworkShape shape, long seed, int threads) {
        require(threads >= 1, "threads", threads, "at least 1");
        this.shape = shape;
        this.seed = seed;
        this.threads = threads;
        parameters = new ParameterStore(shape);
        gradients = parameters.zeros();
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

    /** The whole network prepared for one batch size and number of steps. */
    private record Plan(HostOperations operations, Outputs<Value> outputs, Schedule forward, Schedule backward) {
        double[][] forward(FeatureBatch batch) {
            operations.inputs().forEach((input, matrix) -> matrix.buffer().put(batch.values(input)));
            forward.run();
            return rows(outputs);
        }
    }

    private Plan plan(FeatureBatch batch, boolean training) {
        return (training ? trainingPlans : inferencePlans)
                .computeIfAbsent(List.of(batch.rows(), batch.steps()), size -> {
                    Map<String, Value> values = parameters.byName(training ? gradients : null);
                    Tape tape = new Tape(batch.rows(), threads, training);
                    HostOperations operations = new HostOperations(shape, batch.steps(), values, tape);
                    Outputs<Value> outputs = new PerceiverDefinition<>(shape, operations).outputs();
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

    /** The trigger's and the scenarios' logits side by side, (B, 1 + S). */
    static double[][] rows(Outputs<Value> outputs) {
        Matrix trigger = outputs.trigger().matrix();
        Matrix scenarios = outputs.scenarios().matrix();
        double[][] rows = new double[trigger.rows()][1 + scenarios.columns()];
        float[] logit = new float[1];
        float[] others = new float[scenarios.columns()];
        for (int i = 0; i < rows.length; i++) {
            trigger.read(i, logit);
            scenarios.read(i, others);
            rows[i][0] = logit[0];
            for (int s = 0; s < others.length; s++) {
                rows[i][s + 1] = others[s];
            }
        }
        return rows;
    }

    @Override
    public List<Parameter> parameters() {
        return parameters.parameters();
    }

    @Override
    public FloatBuffer values() {
        return parameters.values();
    }

    @Override
    public void valuesChanged() {
        // Every plan reads the values where they are.
    }

    @Override
    public FloatBuffer gradients() {
        return gradients.buffer();
    }

    @Override
    public double[][] infer(FeatureBatch batch) {
        return plan(batch, false).forward(batch);
    }

    @Override
    public double[][] forward(FeatureBatch batch, long step) {
        Plan plan = plan(batch, true);
        current = plan;
        double dropout = shape.transformer().dropout();
        plan.operations.dropoutMasks().forEach((site, mask) -> mask.buffer()
                .put(site.mask(batch.rows(), dropout, seed, step)));
        return plan.forward(batch);
    }

    @Override
    public void backward(double[][] gradient) {
        if (current == null) {
            throw new IllegalStateException("no forward pass before the backward pass");
        }
        Matrix trigger = current.outputs.trigger().gradient();
        Matrix scenarios = current.outputs.scenarios().gradient();
        float[] others = new float[scenarios.columns()];
        for (int i = 0; i < gradient.length; i++) {
            trigger.write(i, new float[] {(float) gradient[i][0]});
            for (int s = 0; s < others.length; s++) {
                others[s] = (float) gradient[i][s + 1];
            }
            scenarios.write(i, others);
        }
        current.backward.run();
    }

    @Override
    public void close() {
        trainingPlans.clear();
        inferencePlans.clear();
        current = null;
    }
}
