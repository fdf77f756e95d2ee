package dev.prpf.data.world;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** JSON values as maps, lists and plain values, which scripts change in place. */
final class JsonValues {
    private static final ObjectMapper JSON = new ObjectMapper();

    private JsonValues() {}

    static @Nullable Object parse(String json) {
        try {
            return JSON.readValue(json, Object.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("\"" + json + "\" is not JSON: " + e.getOriginalMessage());
        }
    }

    /** Converts JSON to maps and lists, without sharing any part. */
    @SuppressWarnings("unchecked")
    static Map<String, @Nullable Object> of(JsonNode json) {
        return Objects.requireNonNull(JSON.convertValue(json, LinkedHashMap.class));
    }

    static Map<String, @Nullable Object> plain(Map<String, JsonNode> json) {
        Map<String, @Nullable Object> plain = new LinkedHashMap<>();
        json.forEach((name, value) -> plain.put(name, JSON.convertValue(value, Object.class)));
        return plain;
    }

    static JsonNode json(@Nullable Object value) {
        return JSON.valueToTree(value);
    }

    /** Copies maps and lists at every depth. */
    static @Nullable Object copy(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<Object, @Nullable Object> copy = new LinkedHashMap<>();
            map.forEach((key, inner) -> copy.put(key, copy(inner)));
            return copy;
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> copy = new ArrayList<>();
            list.forEach(inner -> copy.add(copy(inner)));
            return copy;
        }
        return value;
    }
}
