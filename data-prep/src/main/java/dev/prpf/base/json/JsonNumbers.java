package dev.prpf.base.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;

/** Collects the numbers of a JSON object and its nested objects. */
public final class JsonNumbers {
    private JsonNumbers() {}

    /** Returns the numbers in order under dotted keys such as {@code overall.sr}, without numbers in arrays. */
    public static Map<String, Double> of(JsonNode object) {
        Map<String, Double> found = new LinkedHashMap<>();
        collect("", object, found);
        return found;
    }

    private static void collect(String prefix, JsonNode node, Map<String, Double> found) {
        if (node.isNumber()) {
            found.put(prefix, node.doubleValue());
        } else if (node.isObject()) {
            String dotted = prefix.isEmpty() ? "" : prefix + ".";
            node.properties().forEach(child -> collect(dotted + child.getKey(), child.getValue(), found));
        }
    }
}
