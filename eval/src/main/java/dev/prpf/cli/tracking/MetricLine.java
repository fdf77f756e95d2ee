package dev.prpf.cli.tracking;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A line of metrics, ready to be sent.
 *
 * @param place of the line
 * @param values finite numbers by name, in order
 */
record MetricLine(Sent place, Map<String, Double> values) {
    MetricLine {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** The numbers of an object by name, truths as 1 and 0, those of an object within behind its name and a slash. */
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
