package dev.prpf.mpp.network.host;

import dev.prpf.mpp.network.definition.DropoutSite;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.Input;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.PerceiverDefinition;
import dev.prpf.mpp.network.definition.PerceiverDefinition.Outputs;
import java.util.Map;

/** The whole network prepared for one batch size and number of steps. */
final class HostPlan {
    private final Map<Input, Matrix> inputs;
    private final Map<DropoutSite, Matrix> dropoutMasks;
    private final Outputs<Value> outputs;
    private final Schedule forward;
    private final Schedule backward;

    /**
     * @param steps T
     * @param parameters by name; with gradients on a training tape
     * @param tape an empty one, for B samples
     */
    HostPlan(NetworkShape shape, int steps, Map<String, Value> parameters, Tape tape) {
        HostOperations operations = new HostOperations(shape, steps, parameters, tape);
        outputs = new PerceiverDefinition<>(shape, operations).outputs();
        inputs = operations.inputs();
        dropoutMasks = operations.dropoutMasks();
        outputs.trigger().contribute();
        outputs.scenarios().contribute();
        forward = tape.forwardSchedule();
        backward = tape.backwardSchedule();
        parameters.forEach((name, value) -> {
            if (tape.training() && !value.hasGradient()) {
                throw new IllegalStateException("no step makes the gradient of parameter " + name);
            }
        });
    }

    Map<DropoutSite, Matrix> dropoutMasks() {
        return dropoutMasks;
    }

    void fill(FeatureBatch batch) {
        inputs.forEach((input, matrix) -> matrix.buffer().put(batch.values(input)));
    }

    /** Logits of what the inputs hold, (B, 1 + S). */
    double[][] forward() {
        forward.run();
        return rows(outputs);
    }

    /** The trigger's and the scenarios' logits side by side. */
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

    /** Writes every parameter's gradient, of the last {@link #forward}. */
    void backward(double[][] gradient) {
        Matrix trigger = outputs.trigger().gradient();
        Matrix scenarios = outputs.scenarios().gradient();
        float[] others = new float[scenarios.columns()];
        for (int i = 0; i < gradient.length; i++) {
            trigger.write(i, new float[] {(float) gradient[i][0]});
            for (int s = 0; s < others.length; s++) {
                others[s] = (float) gradient[i][s + 1];
            }
            scenarios.write(i, others);
        }
        backward.run();
    }
}
