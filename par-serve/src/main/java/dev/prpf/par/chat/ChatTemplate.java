package dev.prpf.par.chat;

import dev.prpf.base.error.PrpfException;
import dev.prpf.par.tokenizer.Piece;
import java.util.List;

/** How one family of models writes a conversation. */
public interface ChatTemplate {
    /** The family, and its variant where it has several. */
    String name();

    /** Whether functions and calls are written; otherwise they are left out, as by the Jinja text. */
    boolean takesTools();

    /** Whether {@code enable_thinking} changes anything. */
    boolean takesThinking();

    /**
     * The prompt: the template's words as control text, everything from the conversation as plain text.
     *
     * @throws PrpfException 65 where the Jinja text would raise an exception or Python could not go on, naming the message
     */
    List<Piece> render(Conversation conversation);
}
