package dev.prpf.data;

import java.util.List;

/**
 * A function that a recommendation may call.
 *
 * @param name unique in the pool
 * @param description what it does
 * @param similar names of functions easily taken for this one
 * @param parameters in the pool's order
 */
public record FunctionSpec(String name, String description, List<String> similar, List<ParameterSpec> parameters) {
    public FunctionSpec {
        similar = List.copyOf(similar);
        parameters = List.copyOf(parameters);
    }
}
