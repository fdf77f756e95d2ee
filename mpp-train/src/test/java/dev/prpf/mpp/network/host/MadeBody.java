package dev.prpf.mpp.network.host;

import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import dev.prpf.mpp.network.definition.NetworkSummary.Parameter;
import dev.prpf.mpp.network.definition.Operations.Input;
import java.nio.FloatBuffer;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.bytedeco.javacpp.FloatPointer;

/** A body with made parameters, with biases, gains and positions that matter, in memory of its own. */
final class MadeBody {
    private static final long SEED = 3;

    private final int columns;
    private final List<Parameter> parameters;
    private final FloatPointer values;
    private final FloatPointer gradients;
    private final HostEngine engine;

    MadeBody(NetworkShape shape, int threads) {
        columns = 2 * shape.transformer().dimension();
        parameters = NetworkSummary.of(shape, 1).body();
        int length = parameters.stream().mapToInt(Parameter::length).sum();
        values = new FloatPointer(length);
        gradients = new FloatPointer(length);
        SplittableRandom random = new SplittableRandom(4);
        FloatBuffer into = values.asBuffer();
        for (Parameter parameter : parameters) {
            for (float initial : parameter.initial(SEED)) {
                into.put(initial + (float) (0.2 * (random.nextDouble() - 0.5)));
            }
        }
        engine = HostEngine.body(shape, values, SEED, threads);
        engine.gradients(gradients);
    }

    double[][] infer(FeatureBatch batch) {
        return engine.logits(batch);
    }

    double[][] forward(FeatureBatch batch, long step) {
        Map<Input, FloatBuffer> inputs = new EnumMap<>(Input.class);
        batch.inputs().forEach((input, floats) -> inputs.put(input, FloatBuffer.wrap(floats)));
        FloatBuffer hidden = FloatBuffer.allocate(batch.rows() * columns);
        engine.forward(inputs, batch.rows(), batch.steps(), step, hidden.duplicate());
        double[][] rows = new double[batch.rows()][columns];
        for (double[] row : rows) {
            for (int i = 0; i < columns; i++) {
                row[i] = hidden.get();
            }
        }
        return rows;
    }

    /** Runs a backward pass with a constant gradient. */
    void backward(int rows) {
        SplittableRandom random = new SplittableRandom(9);
        FloatBuffer made = FloatBuffer.allocate(rows * columns);
        while (made.hasRemaining()) {
            made.put((float) (2 * random.nextDouble() - 1));
        }
        engine.backward(made.flip());
    }

    /** Copies of the gradients by the parameters' names. */
    Map<String, float[]> gradients() {
        Map<String, float[]> copies = new LinkedHashMap<>();
        FloatBuffer flat = gradients.asBuffer();
        for (Parameter parameter : parameters) {
            float[] own = new float[parameter.length()];
            flat.get(own);
            copies.put(parameter.name(), own);
        }
        return copies;
    }
}
