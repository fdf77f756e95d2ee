package dev.prpf.mpp.network;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.layers.samediff.SameDiffGraphVertex;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.jspecify.annotations.Nullable;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Runs the body through execution plans, one for each batch shape and mode, writing gradients into DL4J's flat array. */
@SuppressWarnings("overrides") // DL4J's own base classes disagree about varargs
final class BodyRuntime extends SameDiffGraphVertex {
    private static final long serialVersionUID = 1L;
    private static final int PLANS_KEPT = 3;

    private final transient BodyVertex vertex;
    private final transient Map<Integer, BodyGraph> graphs = new HashMap<>();
    private final transient Map<List<Long>, BodyPlan> trainingPlans = recent();
    private final transient Map<List<Long>, BodyPlan> inferencePlans = recent();
    private transient @Nullable BodyPlan current;
    private long dropoutStep;

    BodyRuntime(
            BodyVertex vertex,
            ComputationGraph graph,
            String name,
            int index,
            INDArray parameters,
            boolean initialize,
            DataType type) {
        super(vertex, graph, name, index, parameters, initialize, type);
        this.vertex = vertex;
    }

    private static Map<List<Long>, BodyPlan> recent() {
        return new LinkedHashMap<>(8, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<List<Long>, BodyPlan> eldest) {
                return size() > PLANS_KEPT;
            }
        };
    }

    /** The optimizer step whose dropout masks come next; masks follow from seed and step alone, so a resumed run has the same. */
    void dropoutStep(long step) {
        dropoutStep = step;
    }

    /** The plan used last, for measurement. */
    @Nullable
    BodyPlan current() {
        return current;
    }

    @Override
    public void setBackpropGradientsViewArray(INDArray gradients) {
        super.setBackpropGradientsViewArray(gradients);
        trainingPlans.clear();
    }

    @Override
    @SuppressWarnings("try") // the scope itself is what is wanted
    public INDArray doForward(boolean training, LayerWorkspaceMgr workspaces) {
        BodyPlan plan;
        try (MemoryWorkspace outside = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
            plan = plan(training);
            fill(plan, training);
            plan.runForward();
            current = plan;
        }
        return workspaces.dup(ArrayType.ACTIVATIONS, plan.fused());
    }

    private void fill(BodyPlan plan, boolean training) {
        for (int i = 0; i < inputs.length; i++) {
            String name = MppBody.INPUTS.get(i);
            if (plan.hasPlaceholder(name)) {
                INDArray target = plan.placeholder(name);
                target.assign(inputs[i].reshape(target.shape()));
            }
        }
        if (training) {
            for (MppBody.DropoutSite site : plan.dropoutSites()) {
                HostArrays.write(plan.placeholder(site.name()), dropoutMask(site));
            }
        }
    }

    private float[] dropoutMask(MppBody.DropoutSite site) {
        double dropout = vertex.shape().dropout();
        float kept = (float) (1 / (1 - dropout));
        int threshold = (int) Math.round((dropout - 0.5) * 0x1p32);
        SplittableRandom random = new SplittableRandom(vertex.seed() * 31
                + dropoutStep * 0x9E3779B97F4A7C15L
                + site.name().hashCode());
        float[] mask = new float[Math.toIntExact(inputs[0].size(0) * site.rows() * site.columns())];
        for (int i = 0; i < mask.length; i++) {
            mask[i] = random.nextInt() < threshold ? 0 : kept;
        }
        return mask;
    }

    private BodyPlan plan(boolean training) {
        Map<List<Long>, BodyPlan> plans = training ? trainingPlans : inferencePlans;
        return plans.computeIfAbsent(
                List.of(inputs[0].size(0), inputs[1].size(1)),
                key -> plan(Math.toIntExact(key.get(0)), Math.toIntExact(key.get(1)), training ? gradTable : Map.of()));
    }

    /** Floats in host memory go the fast way; other types and devices have the library's operations. */
    private BodyPlan plan(int batch, int steps, Map<String, INDArray> gradients) {
        if (dataType == DataType.FLOAT && Nd4j.getEnvironment().isCPU()) {
            return new HostPlan(vertex.shape(), batch, steps, paramTable, gradients);
        }
        BodyGraph body = graphs.computeIfAbsent(steps, length -> BodyGraph.of(vertex.shape(), length, dataType));
        return new PortablePlan(body, batch, paramTable, gradients);
    }

    @Override
    @SuppressWarnings("try")
    public Pair<Gradient, INDArray[]> doBackward(boolean truncated, LayerWorkspaceMgr workspaces) {
        BodyPlan plan = Objects.requireNonNull(current, "no forward pass before the backward pass");
        try (MemoryWorkspace outside = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
            plan.placeholder(BodyGraph.COTANGENT).assign(epsilon);
            plan.runBackward();
        }
        Gradient gradient = new DefaultGradient();
        gradTable.forEach((name, array) -> gradient.gradientForVariable().put(name, array));
        return new Pair<>(gradient, new INDArray[inputs.length]);
    }
}
