package dev.prpf.par.serve.openai.answer;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.serve.http.RequestFields;
import java.util.Objects;

/** OpenAI's {@code response_format}. */
public sealed interface ResponseFormat {
    /** Whatever the model writes. */
    record Text() implements ResponseFormat {}

    /** Some JSON object. */
    record JsonObject() implements ResponseFormat {}

    /**
     * JSON of a schema.
     *
     * @param strict as the request says; here every schema is kept to
     */
    record JsonSchema(String name, JsonNode schema, boolean strict) implements ResponseFormat {}

    /** @throws dev.prpf.par.serve.http.ApiException 400 for another type, or a schema that is none */
    static ResponseFormat of(RequestFields body) {
        RequestFields format = body.object("response_format");
        if (format == null) {
            return new Text();
        }
        String type = format.requiredText("type");
        return switch (type) {
            case "text" -> new Text();
            case "json_object" -> new JsonObject();
            case "json_schema" -> schema(format);
            default -> throw format.wrong("type", format.required("type"), "one of [text, json_object, json_schema]");
        };
    }

    private static JsonSchema schema(RequestFields format) {
        format.required("json_schema");
        RequestFields outer = Objects.requireNonNull(format.object("json_schema"));
        JsonNode schema = outer.required("schema");
        if (!schema.isObject() && !schema.isBoolean()) {
            throw outer.wrong("schema", schema, "a JSON schema");
        }
        outer.text("description");
        return new JsonSchema(outer.requiredText("name"), schema, outer.flag("strict", false));
    }
}
