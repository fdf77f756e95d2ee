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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Columns that Parquet may hold as JSON text: a call's {@code parameters}, with free keys, and what has columns of its own elsewhere. The
 * content of {@code parameters} and of texts is unchanged.
 *
 * @param row members of a row that may be JSON text
 * @param keys keys that may hold JSON text at any depth
 * @param always a key that a row keeps if its column is null; or null
 */
record JsonTextColumns(Place row, Set<String> keys, @Nullable String always) implements Serializable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String FREE = "parameters";

    /**
     * An object, or nested lists of objects.
     *
     * @param members members that may be JSON text, by name
     */
    record Place(Map<String, Place> members) implements Serializable {
        private static final Place UNKNOWN = new Place(Map.of());

        Place {
            members = Map.copyOf(members);
        }

        private static Place of(ColumnType type) {
            if (type instanceof ListOf list) {
                return of(list.element());
            }
            Map<String, Place> members = new TreeMap<>();
            if (type instanceof Struct struct) {
                struct.fields().forEach((name, inner) -> {
                    if (!(inner instanceof Scalar)) {
                        members.put(name, of(inner));
                    }
                });
            }
            return new Place(members);
        }

        private Stream<String> keys() {
            return members.entrySet().stream()
                    .flatMap(member -> Stream.concat(
                            Stream.of(member.getKey()), member.getValue().keys()));
        }
    }

    static JsonTextColumns of(Struct columns, @Nullable String always) {
        Place row = Place.of(columns);
        Set<String> keys = new TreeSet<>(Set.of(FREE));
        row.keys().forEach(keys::add);
        return new JsonTextColumns(row, keys, always);
    }

    /**
     * Returns a row with its JSON texts parsed; text that is not JSON is kept for the record's rules to reject.
     *
     * @param json an object without the keys of null columns
     */
    String restored(String json) {
        if (always == null && keys.stream().noneMatch(key -> json.contains("\"" + key + "\":\""))) {
            return json;
        }
        try {
            JsonNode tree = JSON.readTree(json);
            restore(tree, row);
            if (always != null && tree instanceof ObjectNode object) {
                object.putIfAbsent(always, object.nullNode());
            }
            return JSON.writeValueAsString(tree);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Spark wrote a row that is not JSON: " + json, e);
        }
    }

    private static void restore(JsonNode tree, Place place) {
        if (tree.isArray()) {
            tree.forEach(element -> restore(element, place));
        }
        for (Map.Entry<String, JsonNode> member : tree.properties()) {
            boolean free = member.getKey().equals(FREE);
            Place inner = place.members().get(member.getKey());
            if (!member.getValue().isTextual()) {
                if (!free) {
                    restore(member.getValue(), inner == null ? Place.UNKNOWN : inner);
                }
            } else if (free || inner != null) {
                member.setValue(value(member.getValue()));
            }
        }
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
