package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.PieceList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One turn.
 *
 * @param place file and JSON Pointer, for messages
 * @param role who speaks
 * @param content text, a list of parts ({@code {"type": "text", "text": …}}, {@code {"type": "image", …}}), JSON null, or a missing node
 * @param reasoning what the assistant thought, if it stands in a field of its own
 * @param toolCalls what the assistant called; empty for none
 * @param pieces the content with what is control text in it; null where all of it is plain
 */
public record ChatMessage(
        String place,
        Role role,
        JsonNode content,
        @Nullable String reasoning,
        List<ToolCall> toolCalls,
        @Nullable List<Piece> pieces) {
    public ChatMessage {
        toolCalls = List.copyOf(toolCalls);
        pieces = pieces == null ? null : List.copyOf(pieces);
    }

    /** A message of a prompt that is written here. */
    static ChatMessage of(Role role, List<Piece> pieces) {
        return new ChatMessage("the prompt", role, TextNode.valueOf(Piece.text(pieces)), null, List.of(), pieces);
    }

    /** The content where a template joins it to other text; throws 65 if it is no text. */
    String text() {
        if (!content.isTextual()) {
            String what = content.isMissingNode() ? "missing" : PythonText.json(content);
            throw new InvalidDataException(place + ": the content of this " + role.text()
                    + " message must be text for this template, it is " + what);
        }
        return content.asText();
    }

    /** The same, knowing which of it is control text. */
    MarkedText marked() {
        return pieces == null ? MarkedText.plain(text()) : new MarkedText(pieces);
    }

    /** The content where a template only prints it: what is no text comes out as Python writes it. */
    String printed() {
        return content.isMissingNode() ? "" : PythonText.str(content);
    }

    /** An assistant's turn in two parts: what it thought, and what it said. */
    record Spoken(MarkedText reasoning, MarkedText content) {}

    /** The parts as Qwen3 and Qwen3.5 find them: the reasoning in its own field, or in {@code <think>} in the content. */
    Spoken spoken(MarkedText said) {
        if (reasoning != null) {
            return new Spoken(MarkedText.plain(reasoning), said);
        }
        return said.hasThinking()
                ? new Spoken(said.thinking(), said.afterThinking())
                : new Spoken(MarkedText.plain(""), said);
    }

    /** Whether a template's {@code if message.content} holds. */
    boolean hasContent() {
        if (content.isValueNode() && !content.isTextual()) {
            return content.isNumber() ? content.asDouble() != 0 : content.asBoolean();
        }
        return content.isTextual() ? !content.asText().isEmpty() : !content.isEmpty();
    }

    /** Who speaks. */
    public enum Role {
        SYSTEM,
        USER,
        ASSISTANT,
        TOOL;

        /** As messages and templates write it. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One function that the assistant called.
     *
     * @param place file and JSON Pointer, for messages
     * @param name the function
     * @param arguments as the message has them: mostly an object, from some servers a string; a missing node if absent
     */
    public record ToolCall(String place, String name, JsonNode arguments) {
        /** The call as Qwen2.5 and Qwen3 write it, up to the arguments; behind that text of the template. */
        PieceList open(PieceList out, String before) {
            return out.control(before + "<tool_call>\n{\"name\": \"")
                    .plain(name)
                    .control("\", \"arguments\": ");
        }

        /** The arguments as JSON; a string becomes a JSON string. */
        String argumentsJson() {
            if (arguments.isMissingNode()) {
                throw new InvalidDataException(
                        place + ": the call of " + name + " has no arguments, this template writes them; give {}");
            }
            return PythonText.json(arguments);
        }
    }
}
