package dev.prpf.par.response;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.json.EmbeddedJson;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import java.util.List;

/**
 * The response as one JSON object, for servers that support JSON schemas but no grammar with tags. The blocks are its keys, in the grammar's
 * order, with the same array {@code recommendations}. {@link #text} converts back to the grammar's text (docs/RESPONSE.md).
 */
public final class ResponseSchema {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final ObjectMapper MAPPER =
            new ObjectMapper(EmbeddedJson.factory()).enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private ResponseSchema() {}

    /**
     * Returns the instruction to append to the prompt's, which name the tags.
     *
     * @param english true for English, false for Chinese
     */
    public static String instruction(ResponseForm form, boolean english) {
        if (english) {
            return "\nWrite the content of these blocks as one JSON object instead, with the keys "
                    + String.join(", ", blocks(form))
                    + " in this order; if nothing is to be recommended, recommendations is [].";
        }
        return "\n以上各段改用一个 JSON 对象输出，键依次为 " + String.join("、", blocks(form)) + "，值为该段的内容；无需推荐时，recommendations 为 []。";
    }

    /** Returns the schema of a response with this form and calls of only these functions, by the pool's rules. */
    public static ObjectNode of(ResponseForm form, List<FunctionSpec> functions) {
        ObjectNode schema = object();
        for (String block : blocks(form)) {
            boolean calls = block.equals(ResponseGrammar.RECOMMENDATIONS);
            property(schema, block, calls ? recommendations(functions) : type("string"), true);
        }
        return schema;
    }

    private static List<String> blocks(ResponseForm form) {
        List<String> all = ResponseGrammar.BLOCKS;
        return switch (form) {
            case BARE -> all.subList(all.size() - 1, all.size());
            case TEXT -> all.subList(1, all.size());
            case SCREENS, ANY -> all;
            case FUNCTION, REC_FUNCTION, THINK_FUNCTION, THINK_REC_FUNCTION ->
                throw new IllegalArgumentException("a response of the form " + form + " has no schema");
        };
    }

    private static ObjectNode recommendations(List<FunctionSpec> functions) {
        ObjectNode all = type("array");
        if (functions.isEmpty()) {
            return all.put("maxItems", 0);
        }
        ObjectNode sequence = type("array").put("minItems", 1);
        ArrayNode calls = sequence.putObject("items").putArray("anyOf");
        functions.forEach(function -> calls.add(call(function)));
        ObjectNode recommendation = object();
        property(recommendation, "instruction", type("string"), true);
        property(recommendation, "function", sequence, true);
        return all.set("items", recommendation);
    }

    private static ObjectNode call(FunctionSpec function) {
        ObjectNode parameters = object();
        for (ParameterSpec parameter : function.parameters()) {
            property(parameters, parameter.name(), value(parameter), parameter.required());
        }
        ObjectNode call = object();
        property(call, "name", JSON.objectNode().put("const", function.name()), true);
        property(call, "parameters", parameters, true);
        return call;
    }

    private static ObjectNode value(ParameterSpec parameter) {
        List<JsonNode> allowed = parameter.enumeration();
        if (parameter.type().equals("list")) {
            ObjectNode list = type("array");
            if (allowed != null) {
                list.putObject("items").putArray("enum").addAll(allowed);
            }
            return list;
        }
        if (allowed != null && !allowed.isEmpty()) {
            ObjectNode one = JSON.objectNode();
            one.putArray("enum")
                    .addAll(allowed.stream()
                            .map(value -> typed(parameter.type(), value))
                            .toList());
            return one;
        }
        return switch (parameter.type()) {
            case "string" -> type("string").put("minLength", parameter.required() ? 1 : 0);
            case "int" -> type("integer");
            case "bool" -> type("boolean");
            case "float", "double", "number" -> type("number");
            case "dict" -> type("object");
            default -> JSON.objectNode();
        };
    }

    /** Converts an enumerated value to the parameter's type: pools write {@code "1"} or {@code 1}. */
    private static JsonNode typed(String type, JsonNode value) {
        return switch (type) {
            case "string" -> JSON.textNode(value.asText());
            case "int" ->
                value.asText().matches("-?\\d{1,18}") ? JSON.numberNode(Long.parseLong(value.asText())) : value;
            case "bool" ->
                value.asText().matches("true|false")
                        ? JSON.booleanNode(value.asText().equals("true"))
                        : value;
            default -> value;
        };
    }

    private static ObjectNode type(String name) {
        return JSON.objectNode().put("type", name);
    }

    private static ObjectNode object() {
        ObjectNode object = type("object");
        object.putObject("properties");
        object.putArray("required");
        return object.put("additionalProperties", false);
    }

    private static void property(ObjectNode object, String name, JsonNode schema, boolean required) {
        object.withObjectProperty("properties").set(name, schema);
        if (required) {
            object.withArrayProperty("required").add(name);
        }
    }

    /** Converts an answer that follows the schema to the grammar's text; returns other answers unchanged. */
    public static String text(String answer) {
        JsonNode json;
        try {
            json = MAPPER.readTree(answer);
        } catch (JsonProcessingException e) {
            return answer;
        }
        if (json == null || !json.path(ResponseGrammar.RECOMMENDATIONS).isArray()) {
            return answer;
        }
        String selection = block(json, ResponseGrammar.FUNCTION_SELECTION, "");
        return block(json, ResponseGrammar.UI_SUMMARY, "")
                + block(json, ResponseGrammar.THINKING, selection)
                + ResponseGrammar.open(ResponseGrammar.RECOMMENDATIONS)
                + ResponseGrammar.json(json.path(ResponseGrammar.RECOMMENDATIONS))
                + ResponseGrammar.close(ResponseGrammar.RECOMMENDATIONS);
    }

    private static String block(JsonNode json, String name, String inside) {
        String text = json.path(name).asText("").strip() + inside;
        return text.isEmpty() ? "" : ResponseGrammar.open(name) + text + ResponseGrammar.close(name);
    }
}
