package dev.prpf.par.chat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.par.chat.ChatTemplate.ToolSyntax;
import dev.prpf.par.chat.ToolCallReader.Tool;
import dev.prpf.par.chat.ToolCallReader.ToolTags;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A call in a model's response.
 *
 * @param name the function
 * @param arguments a JSON object as text
 */
record CallText(String name, String arguments) {
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final Pattern FUNCTION = Pattern.compile(
            "\\s*" + ToolTags.FUNCTION + "([^<>\n]+)>(.*)" + ToolTags.END_FUNCTION + "\\s*", Pattern.DOTALL);
    static final Pattern PARAMETER = Pattern.compile(
            "\\s*" + ToolTags.PARAMETER + "([^<>\n]+)>\n?(.*?)\n?" + ToolTags.END_PARAMETER, Pattern.DOTALL);

    /** Parses the text between the call's tags; returns null if it is not a call. */
    static @Nullable CallText read(ToolSyntax syntax, String inner, List<Tool> tools) {
        return syntax == ToolSyntax.JSON ? json(inner) : tags(inner, tools);
    }

    /** Returns whether a tag at the end of the text may belong to a string or a parameter's value. */
    static boolean unfinished(ToolSyntax syntax, String inner) {
        if (syntax == ToolSyntax.TAGS) {
            return inner.lastIndexOf(ToolTags.PARAMETER) > inner.lastIndexOf(ToolTags.END_PARAMETER);
        }
        boolean inString = false;
        int at = 0;
        while (at < inner.length()) {
            char c = inner.charAt(at);
            inString = inString != (c == '"');
            at += c == '\\' && inString ? 2 : 1;
        }
        return inString;
    }

    private static @Nullable CallText json(String inner) {
        String name = null;
        String arguments = null;
        try (JsonParser parser = JSON.createParser(inner)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("name") && value == JsonToken.VALUE_STRING) {
                    name = parser.getText();
                } else if (field.equals("arguments")) {
                    arguments = arguments(parser, inner);
                } else {
                    parser.skipChildren();
                }
            }
            boolean whole = parser.currentToken() == JsonToken.END_OBJECT && parser.nextToken() == null;
            return !whole || name == null || name.isBlank() || arguments == null ? null : new CallText(name, arguments);
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the text of a JSON string, or null if it is not one. */
    static @Nullable String text(String string) {
        try (JsonParser parser = JSON.createParser(string)) {
            return parser.nextToken() == JsonToken.VALUE_STRING ? parser.getText() : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the arguments' JSON unchanged; some models write the object as a string. */
    private static @Nullable String arguments(JsonParser parser, String inner) throws IOException {
        int from = Math.toIntExact(parser.currentTokenLocation().getCharOffset());
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
            String text = parser.getText();
            return isObject(text) ? text : null;
        }
        boolean object = parser.currentToken() == JsonToken.START_OBJECT;
        parser.skipChildren();
        int to = Math.toIntExact(parser.currentLocation().getCharOffset());
        return object ? inner.substring(from, to) : null;
    }

    private static boolean isObject(String text) throws IOException {
        try (JsonParser parser = JSON.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return false;
            }
            parser.skipChildren();
            return parser.nextToken() == null;
        }
    }

    private static @Nullable CallText tags(String inner, List<Tool> tools) {
        Matcher function = FUNCTION.matcher(inner);
        if (!function.matches()) {
            return null;
        }
        String name = function.group(1).strip();
        Tool tool =
                tools.stream().filter(t -> t.name().equals(name)).findFirst().orElse(null);
        String body = function.group(2);
        ObjectNode arguments = JsonNodeFactory.instance.objectNode();
        Matcher parameter = PARAMETER.matcher(body);
        int at = 0;
        while (parameter.find(at) && parameter.start() == at) {
            String key = parameter.group(1).strip();
            arguments.set(key, ParameterText.value(parameter.group(2), tool == null ? null : tool.parameters(), key));
            at = parameter.end();
        }
        return name.isEmpty() || !body.substring(at).isBlank() ? null : new CallText(name, arguments.toString());
    }
}
