package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the members of a JSON object strictly: a missing or mistyped member is reported and returned as null. */
record JsonFields(JsonNode object, String path, Defect.Sink defects) {
    /** Returns the members of an object; reports a defect and returns null for another value. */
    static @Nullable JsonFields of(JsonNode value, String path, Defect.Sink defects) {
        return is(value, path, "object", defects) ? new JsonFields(value, path, defects) : null;
    }

    List<String> names() {
        return object.propertyStream().map(Map.Entry::getKey).toList();
    }

    String pathOf(String key) {
        return JsonText.member(path, key);
    }

    /** Returns a raw member, or null if absent; reports nothing. */
    @Nullable
    JsonNode raw(String key) {
        return object.get(key);
    }

    void fatal(String key, String rule, String message) {
        defects.fatal(pathOf(key), rule, raw(key), message);
    }

    void warning(String key, String rule, String message) {
        defects.warning(pathOf(key), rule, raw(key), message);
    }

    @Nullable
    String text(String key) {
        JsonNode value = required(key, "string");
        return value == null ? null : value.textValue();
    }

    /** Returns a string that may be absent or null. */
    @Nullable
    String optionalText(String key) {
        return object.path(key).isMissingNode() || object.path(key).isNull() ? null : text(key);
    }

    @Nullable
    JsonFields object(String key) {
        JsonNode value = required(key, "object");
        return value == null ? null : new JsonFields(value, pathOf(key), defects);
    }

    /** Returns a member of a JSON type (see {@link JsonText#kind}); reports a defect and returns null otherwise. */
    @Nullable
    JsonNode required(String key, String kind) {
        JsonNode value = object.get(key);
        if (value == null) {
            fatal(key, "missing-field", "the field \"" + key + "\" is missing, must be " + article(kind));
            return null;
        }
        return is(value, pathOf(key), kind, defects) ? value : null;
    }

    static boolean is(JsonNode value, String path, String kind, Defect.Sink defects) {
        String found = JsonText.kind(value);
        if (!found.equals(kind)) {
            defects.fatal(path, "field-type", value, "is " + article(found) + ", must be " + article(kind));
        }
        return found.equals(kind);
    }

    private static String article(String kind) {
        String article = "aeiou".indexOf(kind.charAt(0)) < 0 ? "a " : "an ";
        return kind.equals("null") ? kind : article + kind;
    }
}
