package dev.prpf.mpp.network.host;

import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import dev.prpf.mpp.network.definition.Parameter;
import java.nio.FloatBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A network's parameters in one piece of memory outside the heap, zeros at first. */
public final class ParameterStore {
    private final NetworkShape shape;
    private final List<Parameter> parameters;
    private final Matrix flat;

    ParameterStore(NetworkShape shape) {
        this.shape = shape;
        parameters = NetworkSummary.of(shape, 1).parameters();
        flat = zeros();
    }

    /** The parameters with these values, one array after the other. */
    public ParameterStore(NetworkShape shape, FloatBuffer values) {
        this(shape);
        values().put(values);
    }

    /** The network they are of. */
    public NetworkShape shape() {
        return shape;
    }

    List<Parameter> parameters() {
        return parameters;
    }

    /** The live values, one array after the other. */
    FloatBuffer values() {
        return flat.buffer();
    }

    Matrix zeros() {
        return Matrix.zeros(1, parameters.stream().mapToInt(Parameter::length).sum());
    }

    /** The parameters by name, for one tape; gradients flat, as the values, or null for inference. */
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
