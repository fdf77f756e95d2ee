package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.ScenarioCatalog;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads and writes a function of a pool as JSON. */
public final class FunctionSpecJson {
    static final String NOT_ENUMERABLE = "non-enumerable";

    private static final List<String> TYPES = List.of("string", "int", "bool", "list", "dict");
    private static final Set<String> OPEN = Set.of(NOT_ENUMERABLE, "cannot be enumerated", "");

    private FunctionSpecJson() {}

    /** Returns the function, or null if it has a fatal defect. */
    static @Nullable FunctionSpec read(String key, JsonNode json, Defect.Sink defects) {
        String path = JsonText.member("", key);
        boolean[] fatal = {false};
        JsonFields fields = JsonFields.of(json, path, defect -> {
            fatal[0] |= defect.isFatal();
            defects.accept(defect);
        });
        if (fields == null) {
            return null;
        }
        String name = fields.text("name");
        if (name != null && (!name.equals(key) || name.isBlank())) {
            fields.fatal("name", "name-mismatch", "must be the function's key, \"" + key + "\"");
        }
        String description = description(fields);
        List<String> similar = similar(fields);
        List<ParameterSpec> parameters = parameters(fields);
        String scenario = fields.optionalText("scenario");
        if (scenario != null && (scenario.isBlank() || scenario.equals(ScenarioCatalog.NONE))) {
            fields.fatal("scenario", "scenario-name", "must not be blank or \"none\"");
        }
        return fatal[0] ? null : new FunctionSpec(key, description, similar, parameters, scenario);
    }

    private static String description(JsonFields fields) {
        if (fields.raw("description") == null) {
            fields.warning("description", "missing-field", "has no description");
            return "";
        }
        return Objects.requireNonNullElse(fields.text("description"), "");
    }

    private static List<String> similar(JsonFields fields) {
        List<String> names = new ArrayList<>();
        JsonNode array = fields.raw("similar") == null ? null : fields.required("similar", "array");
        for (int i = 0; array != null && i < array.size(); i++) {
            if (JsonFields.is(array.get(i), fields.pathOf("similar") + "/" + i, "string", fields.defects())) {
                names.add(array.get(i).textValue());
            }
        }
        return names;
    }

    private static List<ParameterSpec> parameters(JsonFields fields) {
        List<ParameterSpec> parameters = new ArrayList<>();
        JsonFields object = fields.object("parameters");
        if (object == null) {
            return parameters;
        }
        for (String name : object.names()) {
            JsonFields parameter = object.object(name);
            if (parameter != null) {
                parameters.add(parameter(name, parameter));
            }
        }
        return parameters;
    }

    private static ParameterSpec parameter(String name, JsonFields fields) {
        String description = description(fields);
        String type = fields.text("type");
        if (type != null && !TYPES.contains(type)) {
            fields.warning(
                    "type",
                    "unknown-type",
                    "is not one of " + String.join(", ", TYPES) + "; values are accepted unchanged");
        }
        String mustFill = fields.text("must_fill");
        if (mustFill != null && !mustFill.equals("required") && !mustFill.equals("optional")) {
            fields.fatal("must_fill", "must-fill", "must be \"required\" or \"optional\"");
        }
        JsonNode value = value(fields);
        // UTF-8 cannot encode an unpaired surrogate. (Jackson rejects such names.)
        if (value != null && !JsonText.isUnicode(value.toString())) {
            String message = "has an unpaired surrogate in its values, so no model can write it";
            fields.defects().fatal(fields.pathOf("value"), "broken-name", TextNode.valueOf(value.toString()), message);
        }
        List<JsonNode> enumeration = enumeration(value);
        return new ParameterSpec(
                name,
                description,
                Objects.requireNonNullElse(type, "string"),
                "required".equals(mustFill),
                enumeration,
                enumeration == null ? value : null);
    }

    /** Returns the values of a list of scalars, else null. */
    private static @Nullable List<JsonNode> enumeration(@Nullable JsonNode value) {
        boolean scalars = value instanceof ArrayNode list
                && list.valueStream().allMatch(element -> element.isValueNode() && !element.isNull());
        return scalars ? Objects.requireNonNull(value).valueStream().toList() : null;
    }

    /** Returns the enumeration or structure, or null for free values. */
    private static @Nullable JsonNode value(JsonFields fields) {
        JsonNode value = fields.raw("value");
        if (value == null) {
            fields.warning("value", "missing-field", "has no values; treated as non-enumerable");
            return null;
        }
        boolean open =
                value.isTextual() && OPEN.contains(value.textValue().strip().toLowerCase(Locale.ROOT));
        boolean usable = value.isContainerNode() && !value.isEmpty();
        if (!open && !usable) {
            String message = "is not a list of values, structure or \"non-enumerable\"; treated as non-enumerable";
            fields.warning("value", "enumeration", message);
        }
        return usable ? value : null;
    }

    /** Writes {@code name}, {@code description}, {@code similar} and {@code parameters}, as in a pool's file and in prompts. */
    public static ObjectNode write(FunctionSpec function) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("name", function.name())
                .put("description", function.description());
        function.similar().forEach(json.putArray("similar")::add);
        ObjectNode parameters = json.putObject("parameters");
        function.parameters().forEach(parameter -> parameters.set(parameter.name(), write(parameter)));
        return json;
    }

    private static ObjectNode write(ParameterSpec parameter) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("description", parameter.description())
                .put("type", parameter.type())
                .put("must_fill", parameter.required() ? "required" : "optional");
        if (parameter.enumeration() != null) {
            json.putArray("value").addAll(parameter.enumeration());
        } else if (parameter.structure() != null) {
            json.set("value", parameter.structure());
        } else {
            json.put("value", NOT_ENUMERABLE);
        }
        return json;
    }
}
