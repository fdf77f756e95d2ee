package dev.prpf.mpp.network;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A SameDiff graph prepared for fixed shapes: every array and operation context is allocated once, a run is a walk over them. Steps
 * that need the cotangent placeholder form the backward part, all others the forward part. Not for use by two threads.
 */
final class ExecutionPlan {
    private final Map<String, INDArray> placeholders;
    private final PlanBuilder builder;
    private final LaneSchedule forward;
    private final LaneSchedule backward;

    /**
     * @param graph the graph (with its gradients, for a training plan)
     * @param placeholders arrays that hold the inputs, kept and filled before each run
     * @param variables arrays of the parameters by name
     * @param fixedOutputs arrays that receive values by name, such as views into a flat gradient
     * @param wanted values to be computed
     * @param cotangent the placeholder that separates backward from forward
     */
    ExecutionPlan(
            SameDiff graph,
            Map<String, INDArray> placeholders,
            Map<String, INDArray> variables,
            Map<String, INDArray> fixedOutputs,
            Collection<String> wanted,
            String cotangent) {
        this.placeholders = placeholders;
        Map<String, INDArray> given = new HashMap<>(variables);
        given.putAll(placeholders);
        builder = new PlanBuilder(graph, given, fixedOutputs);
        List<PlanStep> before = new ArrayList<>();
        List<PlanStep> after = new ArrayList<>();
        Set<String> dependent = new HashSet<>(Set.of(cotangent));
        for (PlanStep step : builder.build(wanted)) {
            if (step.inputs().stream().anyMatch(dependent::contains)) {
                dependent.addAll(step.outputs());
                after.add(step);
            } else {
                before.add(step);
            }
        }
        forward = new LaneSchedule(before);
        backward = new LaneSchedule(after);
    }

    /** The array of a placeholder; the graph may not use it, then it is not needed. */
    boolean hasPlaceholder(String name) {
        return placeholders.containsKey(name);
    }

    INDArray placeholder(String name) {
        INDArray array = placeholders.get(name);
        if (array == null) {
            throw new IllegalStateException("the plan has no placeholder " + name);
        }
        return array;
    }

    INDArray value(String name) {
        return builder.value(name);
    }

    void runForward() {
        forward.run();
    }

    void runBackward() {
        backward.run();
    }

    /** Steps of both parts, for measurement. */
    List<LaneSchedule> schedules() {
        return List.of(forward, backward);
    }
}
