package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The members of one JSON object, read strictly: what is absent or of another type is reported and comes back as null. */
final class Fields {
    private final JsonNode object;
    private final String path;
    private final Consumer<Defect> defects;

    Fields(JsonNode object, String path, Consumer<Defect> defects) {
        this.object = object;
        this.path = path;
        this.defects = defects;
    }

    String pathOf(String key) {
        return JsonText.member(path, key);
    }

    /** The raw member, or null if it is absent; nothing is reported. */
    @Nullable
    JsonNode raw(String key) {
        return object.get(key);
    }

    @Nullable
    String text(String key) {
        JsonNode value = required(key, "string");
        return value == null ? null : value.textValue();
    }

    /** A text that may be absent or null. */
    @Nullable
    String optionalText(String key) {
        JsonNode value = object.get(key);
        return value == null || value.isNull() ? null : text(key);
    }

    @Nullable
    Fields object(String key) {
        JsonNode value = required(key, "object");
        return value == null ? null : new Fields(value, pathOf(key), defects);
    }

    @Nullable
    JsonNode array(String key) {
        return required(key, "array");
    }

    /** The member if it stands there with that JSON type (see {@link JsonText#kind}), else null and a defect. */
    @Nullable
    JsonNode required(String key, String kind) {
        JsonNode value = object.get(key);
        if (value == null) {
            defects.accept(Defect.fatal(
                    pathOf(key),
                    "missing-field",
                    null,
                    "the field \"" + key + "\" is missing, must be " + article(kind)));
            return null;
        }
        return is(value, pathOf(key), kind, defects) ? value : null;
    }

    static boolean is(JsonNode value, String path, String kind, Consumer<Defect> defects) {
        if (JsonText.kind(value).equals(kind)) {
            return true;
        }
        defects.accept(Defect.fatal(
                path, "field-type", value, "is " + article(JsonText.kind(value)) + ", must be " + article(kind)));
        return false;
    }

    private static String article(String kind) {
        return switch (kind) {
            case "null" -> "null";
            case "object", "array", "integer" -> "an " + kind;
            default -> "a " + kind;
        };
    }
}
