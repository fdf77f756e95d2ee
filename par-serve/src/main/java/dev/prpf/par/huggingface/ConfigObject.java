package dev.prpf.par.huggingface;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An object of a model's config.json, read strictly; every refusal names the file and the key from the file's root.
 *
 * @param prefix of the key, down from the root
 * @param read the keys that were asked for so far
 */
record ConfigObject(String file, String prefix, JsonNode node, Set<String> read) {
    static ConfigObject root(String file, JsonNode node) {
        return new ConfigObject(file, "", node, new HashSet<>());
    }

    /** Names of keys, separated by white space. */
    static Set<String> keys(String names) {
        return Set.of(names.split("\\s+"));
    }

    /** An object within this one; empty where the key is missing or null. */
    ConfigObject object(String key) {
        JsonNode value = value(key);
        if (!value.isObject() && !NeutralKeys.off(value) && !value.isMissingNode()) {
            throw refused(key, "must be an object");
        }
        return new ConfigObject(file, prefix + key + ".", value, new HashSet<>());
    }

    /** Returns the keys that are present. */
    Set<String> names() {
        Set<String> names = new HashSet<>();
        node.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** Whether the key is there and says something. */
    boolean has(String key) {
        return !value(key).isMissingNode() && !NeutralKeys.off(value(key));
    }

    String text(String key) {
        return value(key).asText();
    }

    JsonNode value(String key) {
        read.add(key);
        return node.path(key);
    }

    /** A key that is missing or has the only value that is understood. */
    void only(String key, String understood) {
        if (has(key) && !text(key).equals(understood)) {
            throw refused(key, "only \"" + understood + "\" is understood");
        }
    }

    /** Returns the keys that were not read and are not in the set. */
    Stream<String> unread(Set<String> others) {
        return node.properties().stream()
                .map(Map.Entry::getKey)
                .filter(key -> !read.contains(key) && !others.contains(key));
    }

    /** Refuses unread keys that could change what is computed ({@link NeutralKeys}). */
    void refuseUnread(Set<String> others) {
        unread(others)
                .filter(key -> !NeutralKeys.contains(key, node.path(key)))
                .findFirst()
                .ifPresent(key -> {
                    throw refused(key, "this key is not understood and could change what is computed");
                });
    }

    int whole(String key, @Nullable Integer absent) {
        boolean whole = node.path(key).isIntegralNumber() && node.path(key).canConvertToInt();
        return value(key, absent, whole, JsonNode::asInt, "must be a whole number");
    }

    double number(String key, double absent) {
        return value(key, absent, node.path(key).isNumber(), JsonNode::asDouble, "must be a number");
    }

    boolean flag(String key, boolean absent) {
        return value(key, absent, node.path(key).isBoolean(), JsonNode::asBoolean, "must be true or false");
    }

    private <T> T value(String key, @Nullable T absent, boolean fits, Function<JsonNode, T> reader, String rule) {
        JsonNode value = value(key);
        if (fits) {
            return reader.apply(value);
        }
        if ((value.isMissingNode() || value.isNull()) && absent != null) {
            return absent;
        }
        throw refused(key, rule);
    }

    @Nullable
    Integer token(String key) {
        List<Integer> tokens = tokens(key);
        return tokens.isEmpty() ? null : tokens.get(0);
    }

    /** One id, a list of ids, or none; negative ids stand for none. */
    List<Integer> tokens(String key) {
        JsonNode value = value(key);
        if (value.isMissingNode() || value.isNull()) {
            return List.of();
        }
        List<Integer> ids = new ArrayList<>();
        for (JsonNode id : value.isArray() ? value : List.of(value)) {
            if (!id.isInt()) {
                throw refused(key, "must be a token's id or a list of ids");
            }
            ids.add(id.intValue());
        }
        ids.removeIf(id -> id < 0);
        return ids;
    }

    PrpfException refused(String key, String rule) {
        JsonNode value = node.path(key);
        return new InvalidDataException(
                file + ": " + prefix + key + " = " + (value.isMissingNode() ? "(missing)" : value) + ": " + rule);
    }

    /** A rule of the record that these keys make. */
    PrpfException refused(String message) {
        return new InvalidDataException(file + ": " + message);
    }
}
