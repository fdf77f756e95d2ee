package dev.prpf.par.serve.openai.answer;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.schema.SchemaReader;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.RequestFields;
import java.util.List;
import java.util.Objects;

/** OpenAI's {@code response_format}, or vLLM's {@code structured_outputs}. */
public sealed interface ResponseFormat {
    /** Any text of the model. */
    record Text() implements ResponseFormat {}

    /** Any one JSON object. */
    record JsonObject() implements ResponseFormat {}

    /**
     * JSON that satisfies a schema.
     *
     * @param strict as in the request; every schema is enforced here
     */
    record JsonSchema(String name, JsonNode schema, boolean strict) implements ResponseFormat {}

    /** One of several given texts. */
    record Choice(List<String> texts) implements ResponseFormat {
        public Choice {
            texts = List.copyOf(texts);
        }
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
            return new Text();
        }
        String type = format.requiredText("type");
        return switch (type) {
            case "text" -> new Text();
            case "json_object" -> format.json("schema") == null ? new JsonObject() : ofObject(format);
            case "json_schema" -> schema(format);
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
        if (!choice.isEmpty()) {
            if (!choice.stream().allMatch(JsonNode::isTextual)) {
                throw fields.wrong("choice", fields.required("choice"), "an array of texts");
            }
            return new Choice(choice.stream().map(JsonNode::textValue).toList());
        }
        return schema == null ? new JsonObject() : new JsonSchema("json", parsed(fields), true);
    }

    /** Parses a schema, which vLLM also takes as a text. */
    private static JsonNode parsed(RequestFields fields) {
        String rule = "a JSON schema";
        JsonNode given = fields.required("json");
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

    private static JsonSchema schema(RequestFields format) {
        format.required("json_schema");
        RequestFields outer = Objects.requireNonNull(format.object("json_schema"));
        JsonNode schema = schemaIn(outer);
        outer.text("description");
        return new JsonSchema(outer.requiredText("name"), schema, outer.flag("strict", false));
    }

    /** Reads a JSON object with a schema, as in llama.cpp and Together. */
    private static JsonSchema ofObject(RequestFields format) {
        return new JsonSchema("json_object", schemaIn(format), true);
    }

    private static JsonNode schemaIn(RequestFields fields) {
        JsonNode schema = fields.required("schema");
        if (!schema.isObject() && !schema.isBoolean()) {
            throw fields.wrong("schema", schema, "a JSON schema");
        }
        return schema;
    }
}
