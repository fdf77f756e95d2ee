package dev.prpf.par.chat;

import dev.prpf.base.error.PrpfException;
import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.prompt.PieceList;
import dev.prpf.par.tokenizer.Piece;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How one family of models writes a conversation.
 *
 * @param name the family, and its variant where it has several
 * @param takesTools whether functions and calls are written; otherwise they are left out, as by the Jinja text
 * @param takesThinking whether {@code enable_thinking} changes anything
 * @param writer the template
 */
public record ChatTemplate(
        String name, boolean takesTools, boolean takesThinking, BiConsumer<PieceList, Conversation> writer) {
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

    /** Turns alone: SmolLM2, and the models made here. {@code system} is the system message of conversations without one; null for none. */
    static ChatTemplate turns(String name, @Nullable String system) {
        return new ChatTemplate(name, false, false, (out, conversation) -> {
            if (system != null && !conversation.startsWithSystem()) {
                out.control(ChatMl.START + "system\n" + system + ChatMl.END + "\n");
            }
            for (ChatMessage message : conversation.messages()) {
                QwenTemplate.turn(out, message.role(), MarkedText.plain(message.text()));
            }
            if (conversation.generationPrompt()) {
                out.control(ChatMl.START + "assistant\n");
            }
        });
    }
}
