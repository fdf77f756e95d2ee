package dev.prpf.data;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A call of one function of the pool.
 *
 * @param name the function's name
 * @param parameters JSON values by name, in the given order; the values must not be changed after construction
 */
public record FunctionCall(String name, Map<String, JsonNode> parameters) {
    public FunctionCall {
        parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
    }
}
