package dev.prpf.mpp.network;

import java.util.ArrayList;
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
    private final transient Map<List<Long>, ExecutionPlan> trainingPlans = recent();
    private final transient Map<List<Long>, ExecutionPlan> inferencePlans = recent();
    private transient @Nullable ExecutionPlan current;
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

    private static Map<List<Long>, ExecutionPlan> recent() {
        return new LinkedHashMap<>(8, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<List<Long>, ExecutionPlan> eldest) {
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
    ExecutionPlan current() {
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
        ExecutionPlan plan;
        BodyGraph body;
        try (MemoryWorkspace outside = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
            body = graphs.computeIfAbsent(
                    Math.toIntExact(inputs[1].size(1)), steps -> BodyGraph.of(vertex.shape(), steps, dataType));
            plan = plan(training, body);
            fill(plan, training, body);
            plan.runForward();
            current = plan;
        }
        return workspaces.dup(ArrayType.ACTIVATIONS, plan.value(body.fusedName()));
    }

    private void fill(ExecutionPlan plan, boolean training, BodyGraph body) {
        for (int i = 0; i < inputs.length; i++) {
            String name = MppBody.INPUTS.get(i);
            if (plan.hasPlaceholder(name)) {
                plan.placeholder(name).assign(inputs[i]);
            }
        }
        if (training) {
            for (MppBody.DropoutSite site : body.dropoutSites()) {
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

    private ExecutionPlan plan(boolean training, BodyGraph body) {
        Map<List<Long>, ExecutionPlan> plans = training ? trainingPlans : inferencePlans;
        return plans.computeIfAbsent(
                List.of(inputs[0].size(0), inputs[1].size(1)),
                key -> training ? trainingPlan(body, key.get(0)) : inferencePlan(body, key.get(0)));
    }

    private ExecutionPlan inferencePlan(BodyGraph body, long batch) {
        return new ExecutionPlan(
                body.forward(),
                body.placeholders(batch),
                paramTable,
                Map.of(),
                List.of(body.fusedName()),
                BodyGraph.COTANGENT);
    }

    private ExecutionPlan trainingPlan(BodyGraph body, long batch) {
        Map<String, INDArray> gradients = new HashMap<>();
        List<String> wanted = new ArrayList<>(List.of(body.fusedName()));
        paramTable.keySet().forEach(name -> {
            String gradient = body.gradientName(name);
            wanted.add(gradient);
            gradients.put(gradient, Objects.requireNonNull(gradTable.get(name), name));
        });
        return new ExecutionPlan(
                body.backward(), body.placeholders(batch), paramTable, gradients, wanted, BodyGraph.COTANGENT);
    }

    @Override
    @SuppressWarnings("try")
    public Pair<Gradient, INDArray[]> doBackward(boolean truncated, LayerWorkspaceMgr workspaces) {
        ExecutionPlan plan = Objects.requireNonNull(current, "no forward pass before the backward pass");
        try (MemoryWorkspace outside = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
            plan.placeholder(BodyGraph.COTANGENT).assign(epsilon);
            plan.runBackward();
        }
        Gradient gradient = new DefaultGradient();
        gradTable.forEach((name, array) -> {
            INDArray computed = plan.value(graphs.values().iterator().next().gradientName(name));
            if (computed != array) {
                array.assign(computed); // an identity at the end of its chain kept the value in another array
            }
            gradient.gradientForVariable().put(name, array);
        });
        return new Pair<>(gradient, new INDArray[inputs.length]);
    }
}
