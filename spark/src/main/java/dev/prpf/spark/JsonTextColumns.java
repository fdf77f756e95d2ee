package dev.prpf.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What has no columns of its own in Parquet, since its keys are free, stands there as JSON text: a call's {@code parameters}. */
final class JsonTextColumns {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String FREE = "parameters";

    private JsonTextColumns() {}

    /**
     * A row with its JSON texts as values; a text that is no JSON object stays, for the record's rules to refuse.
     *
     * @param row an object, which lacks the keys whose columns are null
     * @param always a key that it gets then, null for none
     */
    static String restored(String row, @Nullable String always) {
        if (always == null && !row.contains("\"" + FREE + "\":\"")) {
            return row;
        }
        try {
            JsonNode tree = JSON.readTree(row);
            restore(tree);
            if (always != null && tree instanceof ObjectNode object) {
                object.putIfAbsent(always, object.nullNode());
            }
            return JSON.writeValueAsString(tree);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Spark wrote a row that is no JSON: " + row, e);
        }
    }

    private static void restore(JsonNode tree) {
        if (tree instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> member : object.properties()) {
                if (member.getKey().equals(FREE) && member.getValue().isTextual()) {
                    member.setValue(value(member.getValue()));
                }
            }
        }
        tree.forEach(JsonTextColumns::restore);
    }

    private static JsonNode value(JsonNode text) {
        try {
            JsonNode value = JSON.readTree(text.textValue());
            return value.isObject() ? value : text;
        } catch (JsonProcessingException e) {
            return text;
        }
    }
}
