package dev.prpf.data.calls;

import static dev.prpf.data.calls.CallRecordReader.require;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.ParameterSpec;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A call that would be right, and its variants.
 *
 * @param function the record's own
 * @param values of each parameter that is named, as the file lists them
 */
public record AcceptedCall(FunctionSpec function, Map<String, JsonNode> values) {
    public AcceptedCall {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        Map<String, ParameterSpec> known = known(function);
        for (Map.Entry<String, JsonNode> value : values.entrySet()) {
            ParameterSpec parameter = known.get(value.getKey());
            require(
                    parameter != null,
                    "function " + function.name() + " has no parameter \"" + value.getKey() + "\", it has "
                            + known.keySet());
            try {
                AcceptedValues.check(value.getValue());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("parameter \"" + value.getKey() + "\" " + e.getMessage(), e);
            }
        }
        for (ParameterSpec parameter : known.values()) {
            require(
                    !parameter.required() || values.containsKey(parameter.name()),
                    "function " + function.name() + " must be given parameter \"" + parameter.name()
                            + "\", but no value is accepted for it");
        }
    }

    private static Map<String, ParameterSpec> known(FunctionSpec function) {
        Map<String, ParameterSpec> parameters = new LinkedHashMap<>();
        function.parameters().forEach(parameter -> parameters.put(parameter.name(), parameter));
        return parameters;
    }

    /** Every call that is right, at most one more than {@code most}; a required parameter is never left out. */
    List<FunctionCall> variants(int most) {
        List<String> names = List.copyOf(values.keySet());
        List<List<JsonNode>> given = names.stream()
                .map(name -> given(name, AcceptedValues.of(Objects.requireNonNull(values.get(name)), most)))
                .toList();
        return Combinations.of(given, most).stream()
                .map(taken -> new FunctionCall(function.name(), AcceptedValues.named(names, taken)))
                .toList();
    }

    private List<JsonNode> given(String name, List<JsonNode> accepted) {
        boolean required = Objects.requireNonNull(known(function).get(name)).required();
        List<JsonNode> given =
                accepted.stream().filter(value -> !value.isMissingNode()).toList();
        return required && !given.isEmpty() ? given : accepted;
    }
}
