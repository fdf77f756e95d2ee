package dev.prpf.data.calls;

import static dev.prpf.data.calls.CallRecordReader.require;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.data.io.JsonText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The accepted values of a parameter, as a list. The fields of a dict, at any depth, have such lists, too. An empty string means
 * that the parameter or field may be omitted.
 */
final class AcceptedValues {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** Marks an omitted parameter or field. */
    static final JsonNode OMITTED = NODES.missingNode();

    private AcceptedValues() {}

    /**
     * Returns all accepted values in the list's order.
     *
     * @param accepted the list in the file
     * @param most the number of values needed
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
     * @param most the number of combinations needed
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
