package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.json.EmbeddedJson;
import dev.prpf.par.chat.ChatTemplate.ToolSyntax;
import dev.prpf.par.chat.ToolCallReader.Tool;
import dev.prpf.par.chat.ToolCallReader.ToolTags;
import java.util.List;
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

    /** Returns whether its arguments are complete. */
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
}
