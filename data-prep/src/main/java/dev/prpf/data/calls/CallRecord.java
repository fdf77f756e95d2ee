package dev.prpf.data.calls;

import static dev.prpf.data.calls.CallRecordReader.require;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A function-calling record: requests, functions and accepted calls.
 *
 * @param id unique in its file
 * @param requests the user's messages in order, at least one
 * @param functions the record's functions, at least one, with unique names
 * @param accepted the accepted calls in order; empty if no function fits
 */
public record CallRecord(String id, List<String> requests, List<FunctionSpec> functions, List<AcceptedCall> accepted) {
    public CallRecord {
        requests = List.copyOf(requests);
        functions = List.copyOf(functions);
        accepted = List.copyOf(accepted);
    }

    /**
     * Returns the accepted call sequences: all combinations of accepted values, the file's first values first. Silence is the
     * empty sequence.
     *
     * @param most the number of sequences needed
     * @return at least one, at most {@code most + 1}
     */
    public List<List<FunctionCall>> answers(int most) {
        return AcceptedValues.combinations(
                accepted.stream().map(call -> call.variants(most)).toList(), most);
    }

    /** Returns whether a function fits the request. */
    public boolean acts() {
        return !accepted.isEmpty();
    }

    /**
     * An accepted call and its variants.
     *
     * @param values the accepted values of each named parameter, as in the file
     */
    public record AcceptedCall(FunctionSpec function, Map<String, JsonNode> values) {
        public AcceptedCall {
            values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
            Map<String, ParameterSpec> known = function.parametersByName();
            String name = "function " + function.name();
            values.forEach((parameter, accepted) -> {
                require(
                        known.containsKey(parameter),
                        name + " has no parameter \"" + parameter + "\", it has " + known.keySet());
                AcceptedValues.check(parameter, accepted);
            });
            for (ParameterSpec parameter : known.values()) {
                require(
                        !parameter.required() || values.containsKey(parameter.name()),
                        name + " must be given parameter \"" + parameter.name()
                                + "\", but no value is accepted for it");
            }
        }

        /** Returns all accepted calls, at most one more than {@code most}; a required parameter is never omitted. */
        List<FunctionCall> variants(int most) {
            List<String> names = List.copyOf(values.keySet());
            List<List<JsonNode>> given = names.stream()
                    .map(name -> given(name, AcceptedValues.of(Objects.requireNonNull(values.get(name)), most)))
                    .toList();
            return AcceptedValues.combinations(given, most).stream()
                    .map(taken -> new FunctionCall(function.name(), AcceptedValues.named(names, taken)))
                    .toList();
        }

        private List<JsonNode> given(String name, List<JsonNode> accepted) {
            boolean required = Objects.requireNonNull(
                            function.parametersByName().get(name))
                    .required();
            List<JsonNode> given =
                    accepted.stream().filter(value -> !value.isMissingNode()).toList();
            return required && !given.isEmpty() ? given : accepted;
        }
    }
}
