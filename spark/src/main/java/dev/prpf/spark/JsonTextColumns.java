package dev.prpf.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** What has no columns of its own in Parquet, since its keys are free, stands there as JSON text: a call's {@code parameters}. */
final class JsonTextColumns {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String FREE = "parameters";

    private JsonTextColumns() {}

    /** A row with its JSON texts as values; a text that is no JSON object stays, for the record's rules to refuse. */
    static String restored(String row) {
        if (!row.contains("\"" + FREE + "\":\"")) {
            return row;
        }
        try {
            JsonNode tree = JSON.readTree(row);
            restore(tree);
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
