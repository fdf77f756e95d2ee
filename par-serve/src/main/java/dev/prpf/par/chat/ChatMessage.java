package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Piece.PieceList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One turn of a conversation.
 *
 * @param place file and JSON Pointer, for messages
 * @param role of the speaker
 * @param content text, a list of parts ({@code {"type": "text", "text": …}}, {@code {"type": "image", …}}), JSON null, or a missing node
 * @param reasoning the assistant's reasoning, if the message has a field for it
 * @param toolCalls of the assistant; may be empty
 * @param pieces the content, with its control text marked; null if all of it is plain
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

    /** Creates a message of a rendered prompt. */
    static ChatMessage of(Role role, List<Piece> pieces) {
        return new ChatMessage("the prompt", role, TextNode.valueOf(Piece.text(pieces)), null, List.of(), pieces);
    }

    /** Returns the content as text, where a template concatenates it; throws 65 if it is not text. */
    String text() {
        if (!content.isTextual()) {
            String what = content.isMissingNode() ? "missing" : PythonText.json(content);
            throw new InvalidDataException(place + ": the content of this " + role.text()
                    + " message must be text for this template, it is " + what);
        }
        return content.asText();
    }

    /** Returns the content as text with its control text marked. */
    MarkedText marked() {
        return pieces == null ? MarkedText.plain(text()) : new MarkedText(pieces);
    }

    /** Returns the content as text, where a template only prints it: other values are written as in Python. */
    String printed() {
        return content.isMissingNode() ? "" : PythonText.str(content);
    }

    /** An assistant's turn in two parts, reasoning and content. */
    record Spoken(MarkedText reasoning, MarkedText content) {}

    /** Splits the content as Qwen3 and Qwen3.5 do: reasoning in its own field, or in {@code <think>} in the content. */
    Spoken spoken(MarkedText said) {
        if (reasoning != null) {
            return new Spoken(MarkedText.plain(reasoning), said);
        }
        return said.hasThinking()
                ? new Spoken(said.thinking(), said.afterThinking())
                : new Spoken(MarkedText.plain(""), said);
    }

    /** Returns whether a template's {@code if message.content} holds. */
    boolean hasContent() {
        if (content.isValueNode() && !content.isTextual()) {
            return content.isNumber() ? content.asDouble() != 0 : content.asBoolean();
        }
        return content.isTextual() ? !content.asText().isEmpty() : !content.isEmpty();
    }

    public enum Role {
        SYSTEM,
        USER,
        ASSISTANT,
        TOOL;

        /** Returns the name in messages and templates. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One call of the assistant.
     *
     * @param place file and JSON Pointer, for messages
     * @param name the function
     * @param arguments as in the message: usually an object, from some servers a string; a missing node if absent
     */
    public record ToolCall(String place, String name, JsonNode arguments) {
        /** Writes the call as Qwen2.5 and Qwen3 do, up to the arguments, after some text of the template. */
        PieceList open(PieceList out, String before) {
            return out.control(before + "<tool_call>\n{\"name\": \"")
                    .plain(name)
                    .control("\", \"arguments\": ");
        }

        /** Returns the arguments as JSON; a string becomes a JSON string. */
        String argumentsJson() {
            if (arguments.isMissingNode()) {
                throw new InvalidDataException(
                        place + ": the call of " + name + " has no arguments, this template writes them; give {}");
            }
            return PythonText.json(arguments);
        }
    }
}
