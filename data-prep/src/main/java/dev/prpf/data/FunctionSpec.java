package dev.prpf.data;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A function that a recommendation may call.
 *
 * @param name unique in the pool
 * @param description what the function does
 * @param similar names of functions that are easily confused with this one
 * @param parameters in the pool's order
 * @param scenario the scenario that the pool's file states for it; null without one
 */
public record FunctionSpec(
        String name,
        String description,
        List<String> similar,
        List<ParameterSpec> parameters,
        @Nullable String scenario)
        implements Serializable {
    /** Creates a function without a scenario of its own. */
    public FunctionSpec(String name, String description, List<String> similar, List<ParameterSpec> parameters) {
        this(name, description, similar, parameters, null);
    }

    public FunctionSpec {
        similar = List.copyOf(similar);
        parameters = List.copyOf(parameters);
    }

    /** Returns the parameters by name, in the pool's order. */
    public Map<String, ParameterSpec> parametersByName() {
        Map<String, ParameterSpec> byName = new LinkedHashMap<>();
        parameters.forEach(parameter -> byName.put(parameter.name(), parameter));
        return byName;
    }
}
