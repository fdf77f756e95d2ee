package dev.prpf.mpp.network;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The steps of a network under construction: operations append their forward steps and leave what will append their backward steps,
 * which happens in reverse order. Steps are named by what they read and write, so that {@link LaneDeal} can deal them.
 */
final class HostTape {
    private final int batch;
    private final boolean training;
    private final Map<String, HostValue> parameters = new HashMap<>();
    private final List<PlanStep> forward = new ArrayList<>();
    private final List<PlanStep> backward = new ArrayList<>();
    private final List<Runnable> pending = new ArrayList<>();
    private int made;

    /**
     * @param batch B
     * @param arrays the parameters' arrays by name
     * @param gradients arrays that receive their gradients; empty for inference
     */
    HostTape(int batch, Map<String, INDArray> arrays, Map<String, INDArray> gradients) {
        this.batch = batch;
        training = !gradients.isEmpty();
        arrays.forEach((name, array) -> parameters.put(
                name,
                new HostValue(
                        name,
                        HostMatrix.of(array),
                        training ? HostMatrix.of(Objects.requireNonNull(gradients.get(name), name)) : null)));
    }

    /** B. */
    int batch() {
        return batch;
    }

    HostValue parameter(String name) {
        return Objects.requireNonNull(parameters.get(name), name);
    }

    /** A value that comes from outside and wants no gradient. */
    static HostValue input(String name, HostMatrix matrix) {
        return new HostValue(name, matrix, null);
    }

    /** A value to be made by a forward step. */
    HostValue value(String what, int rows, int columns) {
        made++;
        HostMatrix gradient = training ? HostMatrix.zeros(rows, columns) : null;
        return new HostValue(what + "#" + made, HostMatrix.zeros(rows, columns), gradient);
    }

    /** Appends a forward step. */
    void forward(Runnable work, HostValue output, HostValue... inputs) {
        List<String> names = new ArrayList<>();
        for (HostValue input : inputs) {
            names.add(input.name());
        }
        forward.add(new PlanStep(work, names, List.of(output.name())));
    }

    /** Leaves what appends an operation's backward steps, once all that use its value have appended theirs. */
    void later(Runnable backwardSteps) {
        if (training) {
            pending.add(backwardSteps);
        }
    }

    /** Appends a backward step that reads these gradients and makes contributions. */
    void backward(Runnable work, List<String> reads, HostValue.Contribution... contributions) {
        List<String> inputs = new ArrayList<>(reads);
        List<String> outputs = new ArrayList<>();
        for (HostValue.Contribution contribution : contributions) {
            inputs.add(contribution.before());
            outputs.add(contribution.after());
        }
        backward.add(new PlanStep(work, inputs, outputs));
    }

    LaneSchedule forwardSchedule() {
        return new LaneSchedule(forward);
    }

    /** Appends all backward steps; to be called once, when the forward steps are complete. */
    LaneSchedule backwardSchedule() {
        for (int i = pending.size() - 1; i >= 0; i--) {
            pending.get(i).run();
        }
        parameters.values().forEach(parameter -> {
            if (training && !parameter.hasContributions()) {
                throw new IllegalStateException("no step makes the gradient of parameter " + parameter.name());
            }
        });
        return new LaneSchedule(backward);
    }
}
