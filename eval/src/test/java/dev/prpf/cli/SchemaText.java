package dev.prpf.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Writes parts of a JSON Schema as cells of a Markdown table. */
public final class SchemaText {
    private static final Map<String, String> BOUNDS = Map.ofEntries(
            Map.entry("minimum", "at least %s"),
            Map.entry("maximum", "at most %s"),
            Map.entry("exclusiveMinimum", "above %s"),
            Map.entry("exclusiveMaximum", "below %s"),
            Map.entry("minLength", "at least %s characters"),
            Map.entry("maxLength", "at most %s characters"),
            Map.entry("minItems", "at least %s entries"),
            Map.entry("maxItems", "at most %s entries"),
            Map.entry("maxProperties", "at most %s entries"));

    private SchemaText() {}

    /** Returns the type in words; a reference links to the heading with its name. */
    public static String type(JsonNode schema) {
        if (schema.has("$ref")) {
            String name = schema.path("$ref").textValue().replaceFirst(".*/", "");
            return "[" + name + "](#" + name.toLowerCase(Locale.ROOT) + ")";
        }
        if (schema.has("enum")) {
            return joined(schema.path("enum"), value -> "`" + value.asText() + "`");
        }
        for (String choice : List.of("anyOf", "oneOf", "allOf")) {
            if (schema.has(choice)) {
                return joined(schema.path(choice), SchemaText::type);
            }
        }
        JsonNode type = schema.path("type");
        if (type.isArray()) {
            return joined(type, JsonNode::asText);
        }
        return switch (type.asText("any")) {
            case "array" -> "list of " + type(schema.path("items"));
            case "object" ->
                schema.path("additionalProperties").isObject()
                        ? "map of " + type(schema.path("additionalProperties"))
                        : "object";
            default -> type.asText("any");
        };
    }

    private static String joined(JsonNode parts, Function<JsonNode, String> text) {
        return StreamSupport.stream(parts.spliterator(), false)
                .map(text)
                .distinct()
                .collect(Collectors.joining(" or "));
    }

    /** Returns the limits of a value, such as "at least 0, at most 1"; empty if it has none. */
    public static String bounds(JsonNode schema) {
        List<String> bounds = new ArrayList<>();
        schema.properties().forEach(field -> {
            if (BOUNDS.containsKey(field.getKey())) {
                bounds.add(BOUNDS.get(field.getKey()).formatted(field.getValue().asText()));
            }
        });
        return String.join(", ", bounds);
    }

    /** Returns a row of a table. */
    public static String row(String... cells) {
        return List.of(cells).stream()
                .map(cell -> cell.replace("|", "\\|"))
                .collect(Collectors.joining(" | ", "| ", " |\n"))
                .replaceAll(" {2,}", " ");
    }
}
