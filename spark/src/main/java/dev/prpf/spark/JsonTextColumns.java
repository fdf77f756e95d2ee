package dev.prpf.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.parquet.ColumnType;
import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import java.io.Serializable;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What may stand in Parquet as JSON text: a call's {@code parameters}, whose keys are free, and what has columns of its own elsewhere.
 *
 * @param keys whose texts are read
 * @param always a key that a row gets where its column is null, null for none
 */
record JsonTextColumns(Set<String> keys, @Nullable String always) implements Serializable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String FREE = "parameters";

    static JsonTextColumns of(Struct columns, @Nullable String always) {
        Set<String> keys = new TreeSet<>(Set.of(FREE));
        add(columns, keys);
        return new JsonTextColumns(keys, always);
    }

    private static void add(ColumnType type, Set<String> keys) {
        if (type instanceof ListOf list) {
            add(list.element(), keys);
        } else if (type instanceof Struct struct) {
            struct.fields().forEach((name, inner) -> {
                if (!(inner instanceof Scalar)) {
                    keys.add(name);
                    add(inner, keys);
                }
            });
        }
    }

    /**
     * A row with its JSON texts as values; a text that is none stays, for the record's rules to refuse.
     *
     * @param row an object, which lacks the keys whose columns are null
     */
    String restored(String row) {
        if (always == null && keys.stream().noneMatch(key -> row.contains("\"" + key + "\":\""))) {
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

    private void restore(JsonNode tree) {
        if (tree instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> member : object.properties()) {
                if (keys.contains(member.getKey()) && member.getValue().isTextual()) {
                    member.setValue(value(member.getValue()));
                }
            }
        }
        tree.forEach(this::restore);
    }

    private static JsonNode value(JsonNode text) {
        try {
            JsonNode value = JSON.readTree(text.textValue());
            return value.isContainerNode() ? value : text;
        } catch (JsonProcessingException e) {
            return text;
        }
    }
}
