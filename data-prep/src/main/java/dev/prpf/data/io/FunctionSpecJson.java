package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.ParameterSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One function of a pool to JSON and back. */
final class FunctionSpecJson {
    static final String NOT_ENUMERABLE = "non-enumerable";

    private static final Set<String> TYPES = Set.of("string", "int", "bool", "list", "dict");
    private static final Set<String> OPEN = Set.of(NOT_ENUMERABLE, "cannot be enumerated", "");

    private FunctionSpecJson() {}

    /** The function, or null if any of its defects is fatal. */
    static @Nullable FunctionSpec read(String key, JsonNode json, Consumer<Defect> defects) {
        String path = JsonText.member("", key);
        boolean[] fatal = {false};
        Consumer<Defect> watch = defect -> {
            fatal[0] |= defect.isFatal();
            defects.accept(defect);
        };
        if (!Fields.is(json, path, "object", watch)) {
            return null;
        }
        Fields fields = new Fields(json, path, watch);
        requireName(key, fields, watch);
        String description = description(fields, watch);
        List<String> similar = similar(fields, watch);
        List<ParameterSpec> parameters = parameters(fields, watch);
        return fatal[0] ? null : new FunctionSpec(key, description, similar, parameters);
    }

    private static void requireName(String key, Fields fields, Consumer<Defect> defects) {
        String name = fields.text("name");
        if (name != null && (!name.equals(key) || name.isBlank())) {
            defects.accept(Defect.fatal(
                    fields.pathOf("name"),
                    "name-mismatch",
                    fields.raw("name"),
                    "must be the function's key, \"" + key + "\""));
        }
    }

    /** A response is UTF-8, in which half a character has no form: no model can write such a value. (Jackson refuses such names.) */
    private static void requireWhole(String path, String text, Consumer<Defect> defects) {
        if (!JsonText.isUnicode(text)) {
            defects.accept(Defect.fatal(
                    path,
                    "broken-name",
                    JsonNodeFactory.instance.textNode(text),
                    "holds half a surrogate pair in its values, so no model can write it"));
        }
    }

    private static String description(Fields fields, Consumer<Defect> defects) {
        if (fields.raw("description") == null) {
            defects.accept(Defect.warning(fields.pathOf("description"), "missing-field", null, "has no description"));
            return "";
        }
        String text = fields.text("description");
        return text == null ? "" : text;
    }

    private static List<String> similar(Fields fields, Consumer<Defect> defects) {
        List<String> names = new ArrayList<>();
        JsonNode array = fields.raw("similar") == null ? null : fields.array("similar");
        for (int i = 0; array != null && i < array.size(); i++) {
            if (Fields.is(array.get(i), fields.pathOf("similar") + "/" + i, "string", defects)) {
                names.add(array.get(i).textValue());
            }
        }
        return names;
    }

    private static List<ParameterSpec> parameters(Fields fields, Consumer<Defect> defects) {
        List<ParameterSpec> parameters = new ArrayList<>();
        JsonNode object = fields.required("parameters", "object");
        if (object == null) {
            return parameters;
        }
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            String path = JsonText.member(fields.pathOf("parameters"), entry.getKey());
            if (Fields.is(entry.getValue(), path, "object", defects)) {
                parameters.add(parameter(entry.getKey(), new Fields(entry.getValue(), path, defects), defects));
            }
        }
        return parameters;
    }

    private static ParameterSpec parameter(String name, Fields fields, Consumer<Defect> defects) {
        String description = description(fields, defects);
        String type = fields.text("type");
        if (type != null && !TYPES.contains(type)) {
            defects.accept(Defect.warning(
                    fields.pathOf("type"),
                    "unknown-type",
                    fields.raw("type"),
                    "is none of string, int, bool, list, dict; values are taken as they are"));
        }
        String mustFill = fields.text("must_fill");
        if (mustFill != null && !mustFill.equals("required") && !mustFill.equals("optional")) {
            defects.accept(Defect.fatal(
                    fields.pathOf("must_fill"),
                    "must-fill",
                    fields.raw("must_fill"),
                    "must be \"required\" or \"optional\""));
        }
        JsonNode value = value(fields, defects);
        if (value != null) {
            requireWhole(fields.pathOf("value"), value.toString(), defects);
        }
        boolean enumeration = value != null && value.isArray() && scalars(value);
        return new ParameterSpec(
                name,
                description,
                type == null ? "string" : type,
                "required".equals(mustFill),
                enumeration ? elements(value) : null,
                enumeration ? null : value);
    }

    /** The enumeration or structure, or null where the values are open. */
    private static @Nullable JsonNode value(Fields fields, Consumer<Defect> defects) {
        JsonNode value = fields.raw("value");
        if (value == null) {
            defects.accept(Defect.warning(
                    fields.pathOf("value"), "missing-field", null, "says no values; taken as non-enumerable"));
            return null;
        }
        boolean open =
                value.isTextual() && OPEN.contains(value.textValue().strip().toLowerCase(Locale.ROOT));
        boolean usable = value.isContainerNode() && !value.isEmpty();
        if (!open && !usable) {
            defects.accept(Defect.warning(
                    fields.pathOf("value"),
                    "enumeration",
                    value,
                    "is no list of values, structure or \"non-enumerable\"; taken as non-enumerable"));
        }
        return usable ? value : null;
    }

    private static boolean scalars(JsonNode array) {
        for (JsonNode element : array) {
            if (!element.isValueNode() || element.isNull()) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable List<JsonNode> elements(@Nullable JsonNode array) {
        List<JsonNode> elements = new ArrayList<>();
        if (array != null) {
            array.forEach(elements::add);
        }
        return elements;
    }

    static ObjectNode write(FunctionSpec function) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("name", function.name());
        json.put("description", function.description());
        ArrayNode similar = json.putArray("similar");
        function.similar().forEach(similar::add);
        ObjectNode parameters = json.putObject("parameters");
        function.parameters().forEach(parameter -> parameters.set(parameter.name(), write(parameter)));
        return json;
    }

    private static ObjectNode write(ParameterSpec parameter) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("description", parameter.description());
        json.put("type", parameter.type());
        json.put("must_fill", parameter.required() ? "required" : "optional");
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
