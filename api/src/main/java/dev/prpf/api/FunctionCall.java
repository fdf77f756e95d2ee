package dev.prpf.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A call of a function, to be shown to the user or executed.
 *
 * @param name of the function in the cascade's {@code functions.json}
 * @param arguments by name, as the values of JSON in Java: String, Number, Boolean, List, Map or null
 */
public record FunctionCall(String name, Map<String, @Nullable Object> arguments) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Copies the arguments, in order. */
    public FunctionCall {
        arguments = Collections.unmodifiableMap(new LinkedHashMap<>(arguments));
    }

    static FunctionCall of(dev.prpf.data.FunctionCall call) {
        Map<String, @Nullable Object> arguments = new LinkedHashMap<>();
        call.parameters().forEach((name, value) -> arguments.put(name, JSON.convertValue(value, Object.class)));
        return new FunctionCall(call.name(), arguments);
    }
}
