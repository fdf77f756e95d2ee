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
 * What one parameter may be given. The values accepted stand in a list; the fields of a dict, wherever it stands, have such lists of
 * their own. An empty string says that the parameter, or the field, may be left out.
 */
final class AcceptedValues {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** Said by itself: nothing is given. */
    static final JsonNode LEFT_OUT = NODES.missingNode();

    private AcceptedValues() {}

    /**
     * Every value that is accepted, in the list's order.
     *
     * @param accepted a list, as it stands in the file
     * @param most values that are of use
     * @return at least one, {@link #LEFT_OUT} among them where nothing need be given; some {@code most + 1} where there are more
     */
    static List<JsonNode> of(JsonNode accepted, int most) {
        List<JsonNode> values = new ArrayList<>();
        for (JsonNode value : accepted) {
            boolean empty = value.isTextual() && value.textValue().isEmpty();
            values.addAll(empty ? List.of(LEFT_OUT) : forms(value, most));
            if (values.size() > most) {
                return values.subList(0, most + 1);
            }
        }
        return values;
    }

    /** @throws IllegalArgumentException if this is no list of accepted values, or some dict in it has fields without one */
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

    /** A value, or all that it stands for: dicts hold lists of accepted values themselves. */
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
     * Ways to take one element of each list, the first list's elements turning slowest.
     *
     * @param most combinations that are of use
     * @return {@code most + 1} where there are more; one, the empty one, of no lists
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

    /** The values by their names, without those that are left out. */
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
