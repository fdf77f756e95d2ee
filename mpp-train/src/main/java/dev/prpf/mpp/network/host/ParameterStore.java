package dev.prpf.mpp.network.host;

import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import dev.prpf.mpp.network.definition.NetworkSummary.Parameter;
import java.nio.FloatBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.javacpp.FloatPointer;
import org.jspecify.annotations.Nullable;

/** A network's parameters in one off-heap array. */
public final class ParameterStore {
    private final NetworkShape shape;
    private final List<Parameter> parameters;
    private final Matrix flat;

    private ParameterStore(NetworkShape shape, List<Parameter> parameters, Matrix flat) {
        this.shape = shape;
        this.parameters = parameters;
        this.flat = flat;
    }

    /** Copies flat values of all parameters, in the order of {@link NetworkSummary#parameters}. */
    public ParameterStore(NetworkShape shape, FloatBuffer values) {
        this(shape, NetworkSummary.of(shape, 1).parameters(), Matrix.zeros(1, values.remaining()));
        int length = length(parameters);
        if (values.remaining() != length) {
            throw new IllegalArgumentException(values.remaining() + " parameters, the network has " + length);
        }
        flat.buffer().put(values.duplicate());
    }

    /** Makes parameters with initial values. */
    public static ParameterStore initial(NetworkShape shape, long seed) {
        List<Parameter> parameters = NetworkSummary.of(shape, 1).parameters();
        FloatBuffer values = FloatBuffer.allocate(length(parameters));
        parameters.forEach(parameter -> values.put(parameter.initial(seed)));
        return new ParameterStore(shape, values.flip());
    }

    /** Wraps the parameters of {@link NetworkSummary#body} in foreign memory, without a copy. */
    static ParameterStore body(NetworkShape shape, FloatPointer memory) {
        List<Parameter> parameters = NetworkSummary.of(shape, 1).body();
        return new ParameterStore(shape, parameters, Matrix.at(memory, length(parameters)));
    }

    private static int length(List<Parameter> parameters) {
        return parameters.stream().mapToInt(Parameter::length).sum();
    }

    public NetworkShape shape() {
        return shape;
    }

    public int length() {
        return flat.columns();
    }

    /** Copies the values of all parameters, flat. */
    public float[] values() {
        float[] values = new float[length()];
        flat.read(0, values);
        return values;
    }

    /** Returns the parameters by name, for one tape; {@code gradients} is flat like the values, or null for inference. */
    Map<String, Value> byName(@Nullable Matrix gradients) {
        Map<String, Value> values = new HashMap<>();
        int from = 0;
        for (Parameter parameter : parameters) {
            int columns = Math.toIntExact(parameter.shape()[parameter.shape().length - 1]);
            int rows = parameter.length() / columns;
            values.put(
                    parameter.name(),
                    new Value(
                            Matrix.within(flat, from, rows, columns),
                            gradients == null ? null : Matrix.within(gradients, from, rows, columns)));
            from += parameter.length();
        }
        return values;
    }
}
