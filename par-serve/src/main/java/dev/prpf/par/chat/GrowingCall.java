package dev.prpf.par.chat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.json.EmbeddedJson;
import dev.prpf.par.chat.ChatTemplate.ToolSyntax;
import dev.prpf.par.chat.ToolCallReader.Tool;
import dev.prpf.par.chat.ToolCallReader.ToolTags;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A call that is reported while it is generated: its name, then pieces of its arguments as JSON. In the tag syntax a parameter is one piece. A
 * reported piece cannot be taken back, so this is only for calls constrained to their form.
 */
final class GrowingCall {
    private static final Pattern JSON =
            Pattern.compile("\\s*\\{\\s*\"name\"\\s*:\\s*(\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\")"
                    + "\\s*,\\s*\"arguments\"\\s*:\\s*(?=\\{)");
    private static final Pattern PARAMETER = Pattern.compile(
            "\\s*" + ToolTags.PARAMETER + "([^<>\n]+)>\n?(.*?)\n?" + ToolTags.END_PARAMETER, Pattern.DOTALL);
    private static final Pattern TAGS = Pattern.compile("\\s*" + ToolTags.FUNCTION + "([^<>\n]+)>");

    private final boolean json;
    private final String name;
    private final @Nullable Tool tool;
    private int depth;
    private boolean inString;
    private boolean escaped;
    private boolean empty = true;
    private boolean ended;

    private GrowingCall(boolean json, String name, @Nullable Tool tool) {
        this.json = json;
        this.name = name;
        this.tool = tool;
    }

    /**
     * Reads the beginning of a call, and removes it from the text up to the arguments.
     *
     * @param text after the call's tag
     * @return null while its name is unknown, or if its arguments are not an object
     */
    static @Nullable GrowingCall begin(ToolSyntax syntax, StringBuilder text, List<Tool> tools) {
        boolean json = syntax == ToolSyntax.JSON;
        Matcher head = (json ? JSON : TAGS).matcher(text);
        if (!head.lookingAt()) {
            return null;
        }
        String name = json ? text(head.group(1)) : head.group(1).strip();
        if (name == null || name.isBlank()) {
            return null;
        }
        text.delete(0, head.end());
        Tool tool = tools.stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElse(null);
        return new GrowingCall(json, name, tool);
    }

    /** Returns the text of a JSON string, or null if it is not one. */
    private static @Nullable String text(String string) {
        JsonNode read = EmbeddedJson.read(string);
        return read == null ? null : read.textValue();
    }

    String name() {
        return name;
    }

    boolean ended() {
        return ended;
    }

    /** Removes and returns the next part of its arguments; empty while nothing is certain. */
    String more(StringBuilder text) {
        return json ? moreOfJson(text) : moreOfTags(text);
    }

    private String moreOfJson(StringBuilder text) {
        int length = 0;
        while (length < text.length() && !ended) {
            read(text.charAt(length++));
        }
        String more = text.substring(0, length);
        text.delete(0, length);
        return more;
    }

    private void read(char c) {
        if (escaped) {
            escaped = false;
        } else if (inString) {
            escaped = c == '\\';
            inString = c != '"';
        } else {
            inString = c == '"';
            depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
            ended = depth == 0;
        }
    }

    private String moreOfTags(StringBuilder text) {
        StringBuilder more = new StringBuilder();
        for (Matcher next = PARAMETER.matcher(text); next.lookingAt() && !ended; next.reset(text)) {
            String key = next.group(1).strip();
            more.append(empty ? "{" : ",").append(TextNode.valueOf(key)).append(':');
            more.append(ParameterText.value(next.group(2), tool == null ? null : tool.parameters(), key));
            empty = false;
            text.delete(0, next.end());
        }
        if (!ended && text.toString().stripLeading().startsWith(ToolTags.END_FUNCTION)) {
            more.append(empty ? "{}" : "}");
            ended = true;
        }
        return more.toString();
    }

    /**
     * Converts a parameter's text in a Qwen3.5 call to a value of its schema, like vLLM's qwen3_coder parser. Two cases differ. A declared string stays a
     * string, even "null". An invalid value of its type stays a text, even of a boolean.
     */
    static final class ParameterText {
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
}
