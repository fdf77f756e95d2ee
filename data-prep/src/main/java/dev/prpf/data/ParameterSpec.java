package dev.prpf.data;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One parameter of a function.
 *
 * @param name the parameter's name
 * @param description what it means
 * @param type {@code string}, {@code int}, {@code bool}, {@code list} or {@code dict}; other words occur and are kept
 * @param required whether a call must give it a value that is neither null nor the empty string
 * @param enumeration the values allowed, or null when they cannot be enumerated; for a list, those of its elements
 * @param structure for a dict the structure of its fields, else null
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
