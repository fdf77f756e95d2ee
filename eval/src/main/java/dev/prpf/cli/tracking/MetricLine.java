package dev.prpf.cli.tracking;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One line of a run's metrics, converted to numbers by name for a tracker.
 *
 * @param values finite numbers by name, in order
 */
record MetricLine(long step, Map<String, Double> values) {
    /** Returns the numbers of an object by name, booleans as 1 and 0; names in a nested object begin with its name and a slash. */
    static Map<String, Double> numbers(JsonNode object) {
        Map<String, Double> numbers = new LinkedHashMap<>();
        collect("", object, numbers);
        return numbers;
    }

    private static void collect(String prefix, JsonNode object, Map<String, Double> numbers) {
        object.properties().forEach(entry -> {
            String name = prefix + entry.getKey();
            JsonNode value = entry.getValue();
            if (value.isNumber() || value.isBoolean()) {
                numbers.put(name, value.isNumber() ? value.doubleValue() : value.booleanValue() ? 1.0 : 0.0);
            } else if (value.isObject()) {
                collect(name + "/", value, numbers);
            }
        });
    }
}
