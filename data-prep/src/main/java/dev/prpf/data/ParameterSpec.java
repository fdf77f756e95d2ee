package dev.prpf.data;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
