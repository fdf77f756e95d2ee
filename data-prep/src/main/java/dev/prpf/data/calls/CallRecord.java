package dev.prpf.data.calls;

import static dev.prpf.data.calls.CallRecordReader.require;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.io.JsonText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

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

    /**
     * The accepted values of a parameter, as a list. The fields of a dict, at any depth, have such lists, too. An empty string means
     * that the parameter or field may be omitted.
     */
    static final class AcceptedValues {
        private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

        /** Marks an omitted parameter or field. */
        static final JsonNode OMITTED = NODES.missingNode();

        private AcceptedValues() {}

        /**
         * Returns all accepted values in the list's order.
         *
         * @return at least one value, with {@link #OMITTED} for an optional one; at most {@code most + 1}
         */
        static List<JsonNode> of(JsonNode accepted, int most) {
            List<JsonNode> values = new ArrayList<>();
            for (JsonNode value : accepted) {
                boolean empty = value.isTextual() && value.textValue().isEmpty();
                values.addAll(empty ? List.of(OMITTED) : forms(value, most));
                if (values.size() > most) {
                    return values.subList(0, most + 1);
                }
            }
            return values;
        }

        /** @throws IllegalArgumentException if this is not a list of accepted values, or a field of a dict has no such list */
        static void check(String parameter, JsonNode accepted) {
            require(
                    accepted.isArray() && !accepted.isEmpty(),
                    "parameter \"" + parameter + "\" has " + JsonText.abbreviate(accepted)
                            + ", must have a list of the values that are accepted");
            accepted.forEach(value -> checkForm(parameter, value));
        }

        private static void checkForm(String parameter, JsonNode value) {
            if (value.isObject()) {
                value.forEach(field -> check(parameter, field));
            } else if (value.isArray()) {
                value.forEach(element -> checkForm(parameter, element));
            }
        }

        /** Returns all forms of a value; a dict has a list of accepted values per field. */
        private static List<JsonNode> forms(JsonNode value, int most) {
            if (!value.isContainerNode()) {
                return List.of(value);
            }
            List<List<JsonNode>> parts = new ArrayList<>();
            value.forEach(part -> parts.add(value.isObject() ? of(part, most) : forms(part, most)));
            List<String> names = value.propertyStream().map(Map.Entry::getKey).toList();
            return combinations(parts, most).stream()
                    .<JsonNode>map(taken -> value.isObject()
                            ? NODES.objectNode().setAll(named(names, taken))
                            : NODES.arrayNode().addAll(taken))
                    .toList();
        }

        /**
         * Returns the Cartesian product of lists; the first list varies slowest.
         *
         * @return at most {@code most + 1} combinations; one empty combination without lists
         */
        static <T> List<List<T>> combinations(List<List<T>> lists, int most) {
            List<List<T>> combinations = List.of(List.of());
            for (List<T> list : lists) {
                combinations = combinations.stream()
                        .flatMap(taken -> list.stream().map(next -> Stream.concat(taken.stream(), Stream.of(next))
                                .toList()))
                        .limit(most + 1L)
                        .toList();
            }
            return combinations;
        }

        /** Returns the values by name, without omitted ones. */
        static Map<String, JsonNode> named(List<String> names, List<JsonNode> values) {
            Map<String, JsonNode> named = new LinkedHashMap<>();
            for (int i = 0; i < names.size(); i++) {
                if (!values.get(i).isMissingNode()) {
                    named.put(names.get(i), values.get(i));
                }
            }
            return named;
        }
    }
}
