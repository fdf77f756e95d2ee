package dev.prpf.par.chat;

import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.prompt.PieceList;
import dev.prpf.par.tokenizer.Piece;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns and nothing else: SmolLM2, and the models made here.
 *
 * @param name the family
 * @param system what stands first where the conversation has no system message; null for nothing
 */
record TurnsTemplate(String name, @Nullable String system) implements ChatTemplate {
    @Override
    public boolean takesTools() {
        return false;
    }

    @Override
    public boolean takesThinking() {
        return false;
    }

    @Override
    public List<Piece> render(Conversation conversation) {
        PieceList out = new PieceList();
        if (system != null && !conversation.startsWithSystem()) {
            out.control(ChatMl.START + "system\n" + system + ChatMl.END + "\n");
        }
        for (ChatMessage message : conversation.messages()) {
            ToolTurns.turn(out, message.role(), MarkedText.plain(message.text()));
        }
        if (conversation.generationPrompt()) {
            out.control(ChatMl.START + "assistant\n");
        }
        return out.build();
    }
}
