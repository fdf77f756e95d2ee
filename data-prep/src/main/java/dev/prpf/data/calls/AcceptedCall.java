package dev.prpf.data.calls;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.ParameterSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A call that would be right, and its variants.
 *
 * @param function the record's own
 * @param values of each parameter that is named, as the file lists them
 */
public record AcceptedCall(FunctionSpec function, Map<String, JsonNode> values) {
    public AcceptedCall {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        Map<String, ParameterSpec> known = parameters(function);
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

    private static Map<String, ParameterSpec> parameters(FunctionSpec function) {
        Map<String, ParameterSpec> parameters = new LinkedHashMap<>();
        function.parameters().forEach(parameter -> parameters.put(parameter.name(), parameter));
        return parameters;
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(rule);
        }
    }

    /** Every call that is right, at most one more than {@code most}; a required parameter is never left out. */
    List<FunctionCall> variants(int most) {
        List<Map<String, JsonNode>> combinations = List.of(Map.of());
        for (Map.Entry<String, JsonNode> entry : values.entrySet()) {
            List<Map<String, JsonNode>> wider = new ArrayList<>();
            for (Map<String, JsonNode> combination : combinations) {
                for (JsonNode value : given(entry.getKey(), AcceptedValues.of(entry.getValue(), most))) {
                    Map<String, JsonNode> next = new LinkedHashMap<>(combination);
                    if (!value.isMissingNode()) {
                        next.put(entry.getKey(), value);
                    }
                    wider.add(next);
                }
            }
            combinations = wider.size() > most ? wider.subList(0, most + 1) : wider;
        }
        return combinations.stream()
                .map(parameters -> new FunctionCall(function.name(), parameters))
                .toList();
    }

    private List<JsonNode> given(String name, List<JsonNode> accepted) {
        boolean required = function.parameters().stream()
                .anyMatch(parameter -> parameter.name().equals(name) && parameter.required());
        List<JsonNode> given =
                accepted.stream().filter(value -> !value.isMissingNode()).toList();
        return required && !given.isEmpty() ? given : accepted;
    }
}
