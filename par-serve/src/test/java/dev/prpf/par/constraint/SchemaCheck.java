package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

/** Whether a value is of a schema of the subset, by the standard's words; slow and plain. */
final class SchemaCheck {
    private final JsonNode root;

    SchemaCheck(JsonNode root) {
        this.root = root;
    }

    boolean takes(JsonNode value) {
        return takes(root, value);
    }

    private boolean takes(JsonNode schema, JsonNode value) {
        if (schema.isBoolean()) {
            return schema.booleanValue();
        }
        if (schema.path("nullable").asBoolean() && value.isNull()) {
            return true;
        }
        String reference = schema.path("$ref").asText();
        return (reference.isEmpty() || takes(root.at(reference.substring(1)), value))
                && combined(schema, value)
                && (!schema.has("type") || type(schema.path("type"), value))
                && (!schema.has("const") || same(schema.path("const"), value))
                && (!schema.has("enum") || schema.path("enum").valueStream().anyMatch(one -> same(one, value)))
                && (!value.isTextual() || text(schema, value.asText()))
                && (!value.isArray() || array(schema, value))
                && (!value.isObject() || object(schema, value));
    }

    private boolean combined(JsonNode schema, JsonNode value) {
        return (!schema.has("anyOf") || matching(schema.path("anyOf"), value) > 0)
                && (!schema.has("oneOf") || matching(schema.path("oneOf"), value) == 1)
                && matching(schema.path("allOf"), value) == schema.path("allOf").size();
    }

    private long matching(JsonNode branches, JsonNode value) {
        return branches.valueStream().filter(branch -> takes(branch, value)).count();
    }

    private static boolean same(JsonNode a, JsonNode b) {
        boolean numbers = a.isNumber() && b.isNumber();
        return numbers ? a.decimalValue().compareTo(b.decimalValue()) == 0 : a.equals(b);
    }

    private static boolean type(JsonNode type, JsonNode value) {
        if (type.isArray()) {
            return type.valueStream().anyMatch(one -> type(one, value));
        }
        return switch (type.asText()) {
            case "string" -> value.isTextual();
            case "integer" ->
                value.isNumber() && value.decimalValue().stripTrailingZeros().scale() <= 0;
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            case "null" -> value.isNull();
            case "array" -> value.isArray();
            default -> value.isObject();
        };
    }

    private static boolean text(JsonNode schema, String text) {
        int length = text.codePointCount(0, text.length());
        return length >= schema.path("minLength").asLong(0)
                && length <= schema.path("maxLength").asLong(Long.MAX_VALUE)
                && (!schema.has("pattern")
                        || Pattern.compile(schema.path("pattern").asText())
                                .matcher(text)
                                .find());
    }

    private boolean array(JsonNode schema, JsonNode value) {
        JsonNode prefix = schema.path("prefixItems");
        JsonNode items = schema.path("items");
        return value.size() >= schema.path("minItems").asLong(0)
                && value.size() <= schema.path("maxItems").asLong(Long.MAX_VALUE)
                && (!schema.path("uniqueItems").asBoolean() || distinct(value))
                && IntStream.range(0, value.size())
                        .allMatch(i -> i < prefix.size()
                                ? takes(prefix.path(i), value.path(i))
                                : items.isMissingNode() || takes(items, value.path(i)));
    }

    private static boolean distinct(JsonNode array) {
        return IntStream.range(0, array.size())
                .allMatch(i -> IntStream.range(0, i).noneMatch(j -> same(array.path(i), array.path(j))));
    }

    private boolean object(JsonNode schema, JsonNode value) {
        JsonNode properties = schema.path("properties");
        JsonNode additional = schema.path("additionalProperties");
        return StreamSupport.stream(schema.path("required").spliterator(), false)
                        .allMatch(name -> value.has(name.asText()))
                && value.properties().stream()
                        .allMatch(field -> properties.has(field.getKey())
                                ? takes(properties.path(field.getKey()), field.getValue())
                                : additional.isMissingNode() || takes(additional, field.getValue()));
    }
}
