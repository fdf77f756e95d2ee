package dev.prpf.par.chat;

import dev.prpf.base.error.PrpfException;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.PieceList;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How one family of models writes a conversation.
 *
 * @param name the family, and its variant where it has several
 * @param turnStart the control token that begins a turn
 * @param turnEnd the control token that ends a turn, and so a response
 * @param calls how calls are written; where they are not, functions and calls are left out, as by the Jinja text
 * @param takesThinking whether {@code enable_thinking} changes anything
 * @param writer the template
 */
public record ChatTemplate(
        String name,
        String turnStart,
        String turnEnd,
        ToolSyntax calls,
        boolean takesThinking,
        BiConsumer<PieceList, Conversation> writer) {
    /** A template that writes ChatML's turns. */
    static ChatTemplate chatMl(
            String name, ToolSyntax calls, boolean takesThinking, BiConsumer<PieceList, Conversation> writer) {
        return new ChatTemplate(name, ChatMl.START, ChatMl.END, calls, takesThinking, writer);
    }

    /** Whether functions and calls are written. */
    public boolean takesTools() {
        return calls != ToolSyntax.NONE;
    }

    /**
     * The reasoner's prompt: one exchange up to where the response begins, with {@code enable_thinking} false.
     *
     * @param system the system message, or null
     * @param user the user turn; what is control text in it stays control text
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
     * The prompt: the template's words as control text, everything from the conversation as plain text.
     *
     * @throws PrpfException 65 where the Jinja text would raise an exception or Python could not go on, naming the message
     */
    public List<Piece> render(Conversation conversation) {
        PieceList out = new PieceList();
        writer.accept(out, conversation);
        return out.build();
    }

    /** Turns of text without functions: SmolLM2, and the models made here. */
    static ChatTemplate turns(String name, @Nullable String system) {
        return turns(name, system, ChatMessage::marked);
    }

    /**
     * Makes a template of turns without functions.
     *
     * @param system the system message of conversations without one; null for none
     * @param content how a message's content is written
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
}
