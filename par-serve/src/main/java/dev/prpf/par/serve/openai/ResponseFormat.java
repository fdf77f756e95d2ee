package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.schema.SchemaReader;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.RequestFields;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * OpenAI's {@code response_format}, or vLLM's {@code structured_outputs}: JSON of a schema, one of several texts, or any text.
 *
 * @param schema that the answer must match; null for a text
 * @param choice the possible texts; empty for any text
 */
record ResponseFormat(@Nullable JsonNode schema, List<String> choice) {
    private static final ResponseFormat TEXT = new ResponseFormat(null, List.of());

    private static ResponseFormat json(JsonNode schema) {
        return new ResponseFormat(schema, List.of());
    }

    boolean isText() {
        return schema == null && choice.isEmpty();
    }

    /** Returns the name of the field, for messages. */
    String field() {
        return choice.isEmpty() ? "response_format" : "structured_outputs";
    }

    /** @throws ApiException 400 for another type, an invalid schema, or both fields at once */
    static ResponseFormat of(RequestFields body) {
        RequestFields format = body.object("response_format");
        RequestFields structured = body.object("structured_outputs");
        if (structured != null) {
            if (format != null) {
                throw ApiException.invalid(
                        "structured_outputs",
                        "structured_outputs and response_format are both given; give one of them");
            }
            return structured(structured);
        }
        if (format == null) {
            return TEXT;
        }
        return switch (format.requiredText("type")) {
            case "text" -> TEXT;
            case "json_object" -> json(format.json("schema") == null ? ToolUse.ANY_OBJECT : schemaIn(format));
            case "json_schema" -> named(format.requiredObject("json_schema"));
            default -> throw format.wrong("type", format.required("type"), "one of [text, json_object, json_schema]");
        };
    }

    private static ResponseFormat structured(RequestFields fields) {
        for (String other : List.of("regex", "grammar", "structural_tag")) {
            fields.refuse(other, ": json and choice are");
        }
        JsonNode schema = fields.json("json");
        List<JsonNode> choice = fields.list("choice");
        boolean object = fields.flag("json_object", false);
        if ((schema == null ? 0 : 1) + (choice.isEmpty() ? 0 : 1) + (object ? 1 : 0) != 1) {
            throw ApiException.invalid(
                    fields.path("json"), "structured_outputs must have one of json, json_object and choice");
        }
        if (!choice.stream().allMatch(JsonNode::isTextual)) {
            throw fields.wrong("choice", fields.required("choice"), "an array of texts");
        }
        return choice.isEmpty()
                ? json(schema == null ? ToolUse.ANY_OBJECT : parsed(fields, schema))
                : new ResponseFormat(
                        null, choice.stream().map(JsonNode::textValue).toList());
    }

    /** Parses a schema, which vLLM also takes as a text. */
    private static JsonNode parsed(RequestFields fields, JsonNode given) {
        String rule = "a JSON schema";
        if (given.isTextual() && given.textValue().length() > SchemaReader.LONGEST) {
            throw ApiException.invalid(
                    fields.path("json"),
                    fields.path("json") + " has " + given.textValue().length() + " characters, at most "
                            + SchemaReader.LONGEST + " are taken");
        }
        JsonNode schema = Objects.requireNonNull(fields.embedded("json", rule));
        if (!schema.isObject() && !schema.isBoolean()) {
            throw fields.wrong("json", given, rule);
        }
        return schema;
    }

    private static ResponseFormat named(RequestFields fields) {
        JsonNode schema = schemaIn(fields);
        fields.text("description");
        fields.requiredText("name");
        fields.flag("strict", false); // every schema is enforced
        return json(schema);
    }

    /** Reads the schema of OpenAI's {@code json_schema}, or next to {@code json_object} as in llama.cpp and Together. */
    private static JsonNode schemaIn(RequestFields fields) {
        JsonNode schema = fields.required("schema");
        if (!schema.isObject() && !schema.isBoolean()) {
            throw fields.wrong("schema", schema, "a JSON schema");
        }
        return schema;
    }
}
