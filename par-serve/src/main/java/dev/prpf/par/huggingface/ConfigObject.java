package dev.prpf.par.huggingface;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An object of a model's config.json, read strictly; every refusal names the file and the key from the file's root. */
final class ConfigObject {
    private final String file;
    private final String prefix;
    private final JsonNode node;

    ConfigObject(String file, String prefix, JsonNode node) {
        this.file = file;
        this.prefix = prefix;
        this.node = node;
    }

    /** Names of keys, separated by white space. */
    static Set<String> keys(String names) {
        return Set.of(names.split("\\s+"));
    }

    /** An object within this one; empty where the key is missing or null. */
    ConfigObject object(String key) {
        JsonNode value = node.path(key);
        if (!value.isObject() && !off(value) && !value.isMissingNode()) {
            throw refused(key, "must be an object");
        }
        return new ConfigObject(file, prefix + key + ".", value);
    }

    /** Whether the key is there and says something. */
    boolean has(String key) {
        return node.has(key) && !off(node.path(key));
    }

    String text(String key) {
        return node.path(key).asText();
    }

    JsonNode value(String key) {
        return node.path(key);
    }

    /** A key that is missing or has the only value that is understood. */
    void only(String key, String understood) {
        if (has(key) && !text(key).equals(understood)) {
            throw refused(key, "only \"" + understood + "\" is understood");
        }
    }

    /** Refuses keys of none of the sets, unless they are off: they could change what is computed. */
    void refuseOthers(Set<String> read, Set<String> withoutMeaning) {
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            String key = field.getKey();
            if (!read.contains(key) && !withoutMeaning.contains(key) && !off(field.getValue())) {
                throw refused(key, "this key is not understood and could change what is computed");
            }
        }
    }

    /** An option that is absent in all but name. */
    private static boolean off(JsonNode value) {
        return value.isNull()
                || (value.isBoolean() && !value.asBoolean())
                || (value.isContainerNode() && value.isEmpty());
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
        JsonNode value = node.path(key);
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
        JsonNode value = node.path(key);
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
