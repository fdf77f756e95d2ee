package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Piece.PieceList;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The chat template of one family of models.
 *
 * @param name the family, and its variant if it has several
 * @param turnStart the control token that begins a turn
 * @param turnEnd the control token that ends a turn, and so a response
 * @param calls syntax of calls; if it has none, functions and calls are omitted, as by the Jinja text
 * @param takesThinking whether the template reads {@code enable_thinking}
 * @param writer renders a conversation
 */
public record ChatTemplate(
        String name,
        String turnStart,
        String turnEnd,
        ToolSyntax calls,
        boolean takesThinking,
        BiConsumer<PieceList, Conversation> writer) {
    /** Creates a template with ChatML's turns. */
    static ChatTemplate chatMl(
            String name, ToolSyntax calls, boolean takesThinking, BiConsumer<PieceList, Conversation> writer) {
        return new ChatTemplate(name, ChatMl.START, ChatMl.END, calls, takesThinking, writer);
    }

    /** Returns whether functions and calls are written. */
    public boolean takesTools() {
        return calls != ToolSyntax.NONE;
    }

    /**
     * Renders the reasoner's prompt: one exchange up to the beginning of the response, with {@code enable_thinking} false.
     *
     * @param system the system message, or null
     * @param user the user turn; its control text stays control text
     */
    public List<Piece> prompt(@Nullable String system, List<Piece> user) {
        List<ChatMessage> messages = new ArrayList<>();
        if (system != null) {
            messages.add(ChatMessage.of(ChatMessage.Role.SYSTEM, List.of(Piece.plain(system))));
        }
        messages.add(ChatMessage.of(ChatMessage.Role.USER, user));
        return render(new Conversation(messages, List.of(), true, false));
    }

    /**
     * Renders a prompt: the template's words are control text, everything from the conversation is plain text.
     *
     * @throws PrpfException 65 where the Jinja text would raise an exception or Python would fail, naming the message
     */
    public List<Piece> render(Conversation conversation) {
        PieceList out = new PieceList();
        writer.accept(out, conversation);
        return out.build();
    }

    /** Creates a template of text turns without functions: for SmolLM2, and the models made here. */
    static ChatTemplate turns(String name, @Nullable String system) {
        return turns(name, system, ChatMessage::marked);
    }

    /**
     * Creates a template of turns without functions.
     *
     * @param system the system message of conversations without one; or null
     * @param content renders a message's content
     */
    static ChatTemplate turns(String name, @Nullable String system, Function<ChatMessage, MarkedText> content) {
        return chatMl(name, ToolSyntax.NONE, false, (out, conversation) -> {
            if (system != null && !conversation.startsWithSystem()) {
                out.control(ChatMl.START + "system\n" + system + ChatMl.END + "\n");
            }
            for (ChatMessage message : conversation.messages()) {
                QwenTemplate.turn(out, message.role(), content.apply(message));
            }
            if (conversation.generationPrompt()) {
                out.control(ChatMl.START + "assistant\n");
            }
        });
    }

    /** The syntax of calls in a family of models. */
    public enum ToolSyntax {
        /** The family has no calls. */
        NONE,
        /** Qwen2.5 and Qwen3 write {@code {"name": …, "arguments": {…}}} in a tag. */
        JSON,
        /** Qwen3.5 writes a tag for the function and one for each parameter, in a tag. */
        TAGS
    }

    /**
     * The input of a chat template.
     *
     * @param messages at least one, oldest first
     * @param tools the functions that may be called, each a JSON object; may be empty
     * @param generationPrompt whether to begin the assistant's next turn
     * @param thinking {@code enable_thinking}; null leaves it to the template's default
     */
    public record Conversation(
            List<ChatMessage> messages, List<JsonNode> tools, boolean generationPrompt, @Nullable Boolean thinking) {
        public Conversation {
            messages = List.copyOf(messages);
            tools = List.copyOf(tools);
            if (messages.isEmpty()) {
                throw new InvalidDataException("a conversation has no messages; give at least one");
            }
        }

        int size() {
            return messages.size();
        }

        ChatMessage message(int index) {
            return messages.get(index);
        }

        boolean isLast(int index) {
            return index == messages.size() - 1;
        }

        boolean is(int index, ChatMessage.Role role) {
            return index >= 0 && index < messages.size() && messages.get(index).role() == role;
        }

        boolean startsWithSystem() {
            return is(0, ChatMessage.Role.SYSTEM);
        }

        /** Returns whether there are functions or calls. */
        public boolean usesTools() {
            return !tools.isEmpty()
                    || messages.stream()
                            .anyMatch(message -> !message.toolCalls().isEmpty());
        }
    }
}
