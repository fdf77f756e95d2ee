package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.par.chat.ChatTemplate.ToolSyntax;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * Splits a response with constrained calls into reasoning, content and calls while it is generated. The joined parts do not depend on how the text
 * is split. A call is reported in pieces, so that a truncated call stays a call. White space between reasoning, text and calls is dropped.
 */
public final class ToolCallReader {
    private final ToolSyntax syntax;
    private final List<Tool> tools;
    private final StringBuilder pending = new StringBuilder();
    private Phase phase;
    private boolean begins;
    private String gap = "";
    private int calls;
    private @Nullable GrowingCall grown;

    private enum Phase {
        UNDECIDED,
        THOUGHT,
        ANSWER,
        CALL
    }

    public sealed interface Part {
        record Reasoning(String text) implements Part {}

        record Content(String text) implements Part {}

        /**
         * A piece of a call.
         *
         * @param name of the function; null for a later piece
         * @param arguments next part of a JSON object as text; may be empty
         */
        record Call(int index, @Nullable String name, String arguments) implements Part {}
    }

    /**
     * Creates a reader of one response.
     *
     * @param thinking state at the beginning of the response
     * @param tools that may be called; without any, calls are plain text
     */
    public ToolCallReader(Thinking thinking, ToolSyntax syntax, List<Tool> tools) {
        this.syntax = tools.isEmpty() ? ToolSyntax.NONE : syntax;
        this.tools = List.copyOf(tools);
        phase = switch (thinking) {
            case NONE -> Phase.ANSWER;
            case OPTIONAL -> Phase.UNDECIDED;
            case BEGUN -> Phase.THOUGHT;
        };
        begins = thinking == Thinking.BEGUN;
    }

    /** Adds text and returns the new parts. A possible beginning of a tag is held back. */
    public List<Part> append(String text) {
        pending.append(text);
        return advance(false);
    }

    /** Returns the last parts; nothing follows. */
    public List<Part> end() {
        return advance(true);
    }

    private List<Part> advance(boolean ends) {
        List<Part> parts = new ArrayList<>();
        boolean moved = true;
        while (moved) {
            moved = switch (phase) {
                case UNDECIDED -> decide(ends);
                case THOUGHT -> thought(parts, ends);
                case ANSWER -> answer(parts, ends);
                case CALL -> call(parts, ends);
            };
        }
        return parts;
    }

    private String take(int length) {
        String taken = pending.substring(0, length);
        pending.delete(0, length);
        return taken;
    }

    private boolean enter(Phase next) {
        phase = next;
        begins = true;
        return true;
    }

    private boolean decide(boolean ends) {
        String text = StringUtils.stripStart(pending.toString(), null);
        if (text.startsWith(ToolTags.THINK)) {
            take(pending.length() - text.length() + ToolTags.THINK.length());
            return enter(Phase.THOUGHT);
        } else if (!ends && ToolTags.THINK.startsWith(text)) {
            return false;
        }
        phase = Phase.ANSWER;
        return true;
    }

    /** Drops line ends at the beginning of a part; returns whether anything follows. */
    private boolean begun() {
        if (begins) {
            int length = StringUtils.stripStart(pending.toString(), "\r\n").length();
            take(pending.length() - length);
            begins = length == 0;
        }
        return !pending.isEmpty();
    }

    private boolean thought(List<Part> parts, boolean ends) {
        if (!begun()) {
            return false;
        }
        int end = pending.indexOf(ToolTags.END_THINK);
        int length = end >= 0 ? end : ends ? pending.length() : sure(ToolTags.END_THINK);
        String text = take(length);
        String said = end >= 0 || ends ? StringUtils.stripEnd(text, null) : text;
        if (!said.isEmpty()) {
            parts.add(new Part.Reasoning(said));
        }
        if (end < 0) {
            return false;
        }
        take(ToolTags.END_THINK.length());
        return enter(Phase.ANSWER);
    }

    /** Returns the number of characters that are neither white space before a tag nor its beginning. */
    private int sure(String tag) {
        String text = pending.toString();
        int length = text.length();
        for (int i = Math.max(0, length - tag.length() + 1); i < length; i++) {
            if (tag.startsWith(text.substring(i))) {
                length = i;
                break;
            }
        }
        return StringUtils.stripEnd(text.substring(0, length), null).length();
    }

    private boolean answer(List<Part> parts, boolean ends) {
        if (!begun()) {
            return false;
        }
        int call = syntax == ToolSyntax.NONE ? -1 : pending.indexOf(ToolTags.CALL);
        if (call >= 0) {
            String text = take(call);
            String said = StringUtils.stripEnd(text, null);
            say(parts, said);
            gap = text.substring(said.length());
            take(ToolTags.CALL.length());
            return enter(Phase.CALL);
        }
        int length = ends || syntax == ToolSyntax.NONE ? pending.length() : sure(ToolTags.CALL);
        String text = take(length);
        say(parts, ends && calls > 0 ? StringUtils.stripEnd(text, null) : text);
        return false;
    }

    private static void say(List<Part> parts, String text) {
        if (!text.isEmpty()) {
            parts.add(new Part.Content(text));
        }
    }

    private boolean call(List<Part> parts, boolean ends) {
        if (grown == null) {
            grown = GrowingCall.begin(syntax, pending, tools);
            if (grown != null) {
                parts.add(new Part.Call(calls, grown.name(), ""));
            }
        }
        if (grown != null) {
            return more(parts, grown);
        }
        int end = pending.indexOf(ToolTags.END_CALL);
        if (end < 0 && !ends) {
            return false;
        }
        int length = end < 0 ? pending.length() : end + ToolTags.END_CALL.length();
        say(parts, gap + ToolTags.CALL + take(length)); // truncated before its arguments
        return called();
    }

    private boolean more(List<Part> parts, GrowingCall call) {
        String arguments = call.more(pending);
        if (!arguments.isEmpty()) {
            parts.add(new Part.Call(calls, null, arguments));
        }
        int end = call.ended() ? pending.indexOf(ToolTags.END_CALL) : -1;
        if (end < 0) {
            return false;
        }
        take(end + ToolTags.END_CALL.length());
        calls++;
        grown = null;
        return called();
    }

    private boolean called() {
        phase = Phase.ANSWER;
        begins = false;
        return !pending.isEmpty();
    }

    /** The state of reasoning at the beginning of a response. */
    public enum Thinking {
        /** The response has no reasoning. */
        NONE,
        /** Reasoning may come, in {@code <think>} tags. */
        OPTIONAL,
        /** Reasoning has begun: the prompt ends with {@code <think>}. */
        BEGUN;

        /** Returns the state after a template's prompt, or after the end of one. */
        public static Thinking after(ChatTemplate template, String prompt) {
            if (!template.takesThinking()) {
                return NONE;
            }
            String text = prompt.stripTrailing();
            return text.endsWith(ToolTags.THINK) ? BEGUN : text.endsWith(ToolTags.END_THINK) ? NONE : OPTIONAL;
        }
    }

    /**
     * A function that may be called.
     *
     * @param name of the function
     * @param parameters JSON Schema of its arguments
     */
    public record Tool(String name, JsonNode parameters) {
        /** The schema of a function without parameters. */
        public static final JsonNode NO_PARAMETERS = JsonNodeFactory.instance
                .objectNode()
                .put("type", "object")
                .<ObjectNode>set("properties", JsonNodeFactory.instance.objectNode())
                .put("additionalProperties", false);
    }

    /** The tags of reasoning and calls in the responses of the Qwen families. */
    public static final class ToolTags {
        public static final String THINK = "<think>";
        public static final String END_THINK = "</think>";
        public static final String CALL = "<tool_call>";
        public static final String END_CALL = "</tool_call>";
        /** Qwen3.5's tag before a function's name and {@code >}. */
        public static final String FUNCTION = "<function=";

        public static final String END_FUNCTION = "</function>";
        /** Qwen3.5's tag before a parameter's name and {@code >}. */
        public static final String PARAMETER = "<parameter=";

        public static final String END_PARAMETER = "</parameter>";

        /** The tags that may be control tokens of a tokenizer. */
        public static final List<String> CONTROL = List.of(THINK, END_THINK, CALL, END_CALL);

        private ToolTags() {}
    }
}
