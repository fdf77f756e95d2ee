package dev.prpf.mpp.network.host;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkEngine;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Parameter;
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
    private final Map<List<Integer>, HostPlan> trainingPlans = recent();
    private final Map<List<Integer>, HostPlan> inferencePlans = recent();
    private @Nullable HostPlan current;

    /**
     * A network of zeros.
     *
     * @param seed of dropout
     * @param threads that share the work
     */
    public HostEngine(NetworkShape shape, long seed, int threads) {
        require(threads >= 1, "threads", threads, "at least 1");
        this.shape = shape;
        this.seed = seed;
        this.threads = threads;
        parameters = new ParameterStore(shape);
        gradients = parameters.zeros();
    }

    private static Map<List<Integer>, HostPlan> recent() {
        return new LinkedHashMap<>(8, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<List<Integer>, HostPlan> eldest) {
                return size() > PLANS_KEPT;
            }
        };
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
        HostPlan plan = inferencePlans.computeIfAbsent(
                List.of(batch.rows(), batch.steps()),
                key -> new HostPlan(
                        shape, batch.steps(), parameters.byName(null), new Tape(batch.rows(), threads, false)));
        plan.fill(batch);
        return plan.forward();
    }

    @Override
    public double[][] forward(FeatureBatch batch, long step) {
        HostPlan plan = trainingPlans.computeIfAbsent(
                List.of(batch.rows(), batch.steps()),
                key -> new HostPlan(
                        shape, batch.steps(), parameters.byName(gradients), new Tape(batch.rows(), threads, true)));
        current = plan;
        plan.fill(batch);
        double dropout = shape.transformer().dropout();
        plan.dropoutMasks().forEach((site, mask) -> mask.buffer().put(site.mask(batch.rows(), dropout, seed, step)));
        return plan.forward();
    }

    @Override
    public void backward(double[][] gradient) {
        if (current == null) {
            throw new IllegalStateException("no forward pass before the backward pass");
        }
        current.backward(gradient);
    }

    @Override
    public void close() {
        trainingPlans.clear();
        inferencePlans.clear();
        current = null;
    }
}
