package dev.prpf.par.chat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.json.EmbeddedJson;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Converts a parameter's text in a Qwen3.5 call to a value of its schema, like vLLM's qwen3_coder parser. Two cases differ. A declared string stays a
 * string, even "null". An invalid value of its type stays a text, even of a boolean.
 */
final class ParameterText {
    private static final int MOST_REFERENCES = 16;
    private static final JsonMapper JSON = JsonMapper.builder(EmbeddedJson.factory())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private ParameterText() {}

    /**
     * Returns the value of a parameter.
     *
     * @param parameters the schema of all of the function's arguments; null for an unknown function
     */
    static JsonNode value(String text, @Nullable JsonNode parameters, String name) {
        JsonNode schema = parameters == null
                ? NullNode.instance
                : resolved(parameters.path("properties").path(name), parameters);
        JsonNode type = schema.path("type");
        if (isText(schema)) {
            boolean declared = type.isTextual() || schema.has("enum") || schema.has("const");
            return !declared && text.equals("null") ? NullNode.instance : TextNode.valueOf(text);
        } else if (text.equals("null")) {
            return NullNode.instance;
        }
        return switch (type.asText()) {
            case "integer" -> read(text, JsonNode::isIntegralNumber);
            case "number" -> read(text, JsonNode::isNumber);
            case "boolean" ->
                text.equalsIgnoreCase("true")
                        ? BooleanNode.TRUE
                        : text.equalsIgnoreCase("false") ? BooleanNode.FALSE : TextNode.valueOf(text);
            default -> read(text, value -> true);
        };
    }

    private static JsonNode resolved(JsonNode schema, JsonNode root) {
        JsonNode at = schema;
        for (int i = 0; i < MOST_REFERENCES && at.path("$ref").asText().startsWith("#/"); i++) {
            at = root.at(at.path("$ref").asText().substring(1));
        }
        return at;
    }

    /** Returns whether a schema declares a string, or nothing. */
    private static boolean isText(JsonNode schema) {
        if (schema.has("type")) {
            return schema.path("type").asText().equals("string");
        }
        if (schema.has("enum") || schema.has("const")) {
            return schema.path("enum").valueStream().allMatch(JsonNode::isTextual)
                    && (!schema.has("const") || schema.path("const").isTextual());
        }
        return !schema.has("anyOf")
                && !schema.has("oneOf")
                && !schema.has("allOf")
                && !schema.has("$ref")
                && !schema.has("properties")
                && !schema.has("items");
    }

    private static JsonNode read(String text, Predicate<JsonNode> fits) {
        try {
            JsonNode value = JSON.readTree(text);
            return value != null && !value.isMissingNode() && fits.test(value) ? value : TextNode.valueOf(text);
        } catch (JsonProcessingException e) {
            return TextNode.valueOf(text);
        }
    }
}
