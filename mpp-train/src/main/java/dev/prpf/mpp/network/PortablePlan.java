package dev.prpf.mpp.network;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The body's SameDiff graph through the library's own operations: for every backend and type, and the truth for the other one. */
final class PortablePlan implements BodyPlan {
    private final BodyGraph body;
    private final ExecutionPlan plan;
    private final Map<String, INDArray> gradients;

    /**
     * @param body the graph
     * @param batch B
     * @param parameters the parameters' arrays by name
     * @param gradients arrays that receive the gradients, by the parameters' names; empty for inference
     */
    PortablePlan(BodyGraph body, long batch, Map<String, INDArray> parameters, Map<String, INDArray> gradients) {
        this.body = body;
        this.gradients = gradients;
        Map<String, INDArray> fixed = new HashMap<>();
        gradients.forEach((name, array) -> fixed.put(body.gradientName(name), array));
        List<String> wanted = new ArrayList<>(List.of(body.fusedName()));
        wanted.addAll(fixed.keySet());
        plan = new ExecutionPlan(
                gradients.isEmpty() ? body.forward() : body.backward(),
                body.placeholders(batch),
                parameters,
                fixed,
                wanted,
                BodyGraph.COTANGENT);
    }

    @Override
    public boolean hasPlaceholder(String name) {
        return plan.hasPlaceholder(name);
    }

    @Override
    public INDArray placeholder(String name) {
        return plan.placeholder(name);
    }

    @Override
    public List<MppBody.DropoutSite> dropoutSites() {
        return body.dropoutSites();
    }

    @Override
    public INDArray fused() {
        return plan.value(body.fusedName());
    }

    @Override
    public void runForward() {
        plan.runForward();
    }

    @Override
    public void runBackward() {
        plan.runBackward();
        gradients.forEach((name, array) -> {
            INDArray computed = plan.value(body.gradientName(name));
            if (computed != array) {
                array.assign(computed); // an identity at the end of its chain kept the value in another array
            }
        });
    }

    @Override
    public List<LaneSchedule> schedules() {
        return plan.schedules();
    }
}
