package dev.prpf.mpp.network;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A plan with arrays of its own for the gradients, and made values for it.
 *
 * @param plan of either kind
 * @param gradients by the parameters' names
 */
record MadeSide(BodyPlan plan, Map<String, INDArray> gradients) {
    float[] gradient(String name) {
        INDArray array = Objects.requireNonNull(gradients.get(name), name);
        return array.dup('c').reshape(-1).toFloatVector();
    }

    float[] fused() {
        return plan.fused().reshape(-1).toFloatVector();
    }

    void run() {
        plan.runForward();
        plan.runBackward();
    }

    static Map<String, INDArray> parameters(NetworkShape shape) {
        Map<String, INDArray> made = new LinkedHashMap<>();
        SplittableRandom random = new SplittableRandom(4);
        BodyParameters.shapes(shape).forEach((name, size) -> {
            float[] values = BodyParameters.initial(name, size, 3);
            for (int i = 0; i < values.length; i++) {
                values[i] += (float) (0.1 * (random.nextDouble() - 0.5)); // biases that do something
            }
            made.put(name, Nd4j.create(values, size, 'c'));
        });
        return made;
    }

    private static Map<String, INDArray> zeros(Map<String, INDArray> parameters) {
        Map<String, INDArray> zeros = new LinkedHashMap<>();
        parameters.forEach((name, array) -> zeros.put(name, Nd4j.create(DataType.FLOAT, array.shape(), 'c')));
        return zeros;
    }

    static MadeSide host(NetworkShape shape, int batch, int steps, Map<String, INDArray> parameters) {
        Map<String, INDArray> gradients = zeros(parameters);
        return new MadeSide(new HostPlan(shape, batch, steps, parameters, gradients), gradients);
    }

    static MadeSide portable(NetworkShape shape, int batch, int steps, Map<String, INDArray> parameters) {
        Map<String, INDArray> gradients = zeros(parameters);
        BodyGraph body = BodyGraph.of(shape, steps, DataType.FLOAT);
        return new MadeSide(new PortablePlan(body, batch, parameters, gradients), gradients);
    }

    void fillInputs(FeatureBatch batch) {
        INDArray[] inputs = batch.arrays(DataType.FLOAT);
        for (int i = 0; i < inputs.length; i++) {
            write(MppBody.INPUTS.get(i), inputs[i].reshape(-1).toFloatVector());
        }
    }

    /** Inputs, and masks and a cotangent that are always the same. */
    void fill(FeatureBatch batch, NetworkShape shape) {
        fillInputs(batch);
        for (MppBody.DropoutSite site : plan.dropoutSites()) {
            float[] mask = drawn(
                    batch.rows() * site.rows() * site.columns(), site.name().hashCode());
            for (int i = 0; i < mask.length; i++) {
                mask[i] = mask[i] < -0.4 ? 0 : 1.25f;
            }
            write(site.name(), mask);
        }
        write(BodyGraph.COTANGENT, drawn(batch.rows() * shape.fusedWidth(), 9));
    }

    private void write(String name, float[] values) {
        if (plan.hasPlaceholder(name)) {
            HostArrays.write(plan.placeholder(name), values);
        }
    }

    private static float[] drawn(int length, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        float[] values = new float[length];
        for (int i = 0; i < length; i++) {
            values[i] = (float) (2 * random.nextDouble() - 1);
        }
        return values;
    }
}
