package dev.prpf.data;

import com.fasterxml.jackson.databind.JsonNode;
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

    /**
     * One parameter of a function.
     *
     * @param name the parameter's name
     * @param description the parameter's meaning
     * @param type {@code string}, {@code int}, {@code bool}, {@code list} or {@code dict}; other types are kept unchanged
     * @param required whether a call must have a value other than null and the empty string
     * @param enumeration the allowed values (of a list, of its elements), or null if they cannot be enumerated
     * @param structure the structure of a dict's fields, else null
     */
    public record ParameterSpec(
            String name,
            String description,
            String type,
            boolean required,
            @Nullable List<JsonNode> enumeration,
            @Nullable JsonNode structure)
            implements Serializable {
        public ParameterSpec {
            enumeration = enumeration == null ? null : List.copyOf(enumeration);
        }
    }
}
