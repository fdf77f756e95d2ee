package dev.prpf.mpp.network.graph;

import dev.prpf.mpp.network.Device;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import dev.prpf.mpp.network.definition.NetworkSummary.Parameter;
import dev.prpf.mpp.network.graph.PerceiverVertexPass.HostBody;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** Both bodies with the same made parameters, with biases, gains and positions that matter. */
final class MadeBodies {
    static final long SEED = 3;

    private final NetworkShape shape;
    private final List<Parameter> parameters;
    private final float[] values;

    MadeBodies(NetworkShape shape) {
        Device.current();
        this.shape = shape;
        parameters = NetworkSummary.of(shape, 1).body();
        values = new float[parameters.stream().mapToInt(Parameter::length).sum()];
        SplittableRandom random = new SplittableRandom(4);
        int at = 0;
        for (Parameter parameter : parameters) {
            for (float initial : parameter.initial(SEED)) {
                values[at++] = initial + (float) (0.2 * (random.nextDouble() - 0.5));
            }
        }
    }

    /** A body, its parameters and its gradients, flat. */
    record Made(PerceiverBody body, INDArray values, INDArray gradients, Map<String, INDArray> byName) {
        double[] gradient(String name) {
            return Objects.requireNonNull(byName.get(name)).dup('c').data().asDouble();
        }
    }

    Made host() {
        INDArray flat = flat(DataType.FLOAT);
        return withGradients(new HostBody(shape, flat, SEED), flat);
    }

    Made sameDiff(DataType type) {
        INDArray flat = flat(type);
        return withGradients(new SameDiffBody(shape, views(flat), type, SEED), flat);
    }

    private INDArray flat(DataType type) {
        return Nd4j.createFromArray(values).castTo(type);
    }

    private Made withGradients(PerceiverBody body, INDArray flat) {
        INDArray gradients = Nd4j.zeros(flat.dataType(), flat.length());
        Map<String, INDArray> views = views(gradients);
        body.gradients(gradients, views);
        return new Made(body, flat, gradients, views);
    }

    private Map<String, INDArray> views(INDArray flat) {
        Map<String, INDArray> views = new LinkedHashMap<>();
        long from = 0;
        for (Parameter parameter : parameters) {
            INDArray part = flat.get(NDArrayIndex.interval(from, from + parameter.length()));
            views.put(parameter.name(), part.reshape('c', parameter.shape()));
            from += parameter.length();
        }
        return views;
    }

    INDArray[] inputs(FeatureBatch batch, DataType type) {
        INDArray[] inputs = PerceiverInputs.features(batch);
        for (int i = 0; i < inputs.length; i++) {
            inputs[i] = inputs[i].castTo(type);
        }
        return inputs;
    }

    /** Returns a constant gradient of the hidden layers, (B, 2d). */
    INDArray cotangent(int rows, DataType type) {
        SplittableRandom random = new SplittableRandom(9);
        double[] made = new double[rows * 2 * shape.transformer().dimension()];
        for (int i = 0; i < made.length; i++) {
            made[i] = 2 * random.nextDouble() - 1;
        }
        return Nd4j.create(made, new long[] {rows, made.length / rows}, type);
    }
}
