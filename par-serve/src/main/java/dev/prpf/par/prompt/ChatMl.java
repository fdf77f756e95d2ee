package dev.prpf.par.prompt;

import dev.prpf.par.tokenizer.Piece;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The chat template of our own small models: ChatML, written here and not read from a template. */
public final class ChatMl {
    public static final String START = "<|im_start|>";
    public static final String END = "<|im_end|>";

    /** The same as Jinja, for the {@code chat_template} of a tokenizer_config.json; without a default system message. */
    public static final String TEMPLATE =
            "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
                    + "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

    private ChatMl() {}

    /** One exchange up to where the assistant begins to speak. */
    public static List<Piece> prompt(@Nullable String system, List<Piece> user) {
        PieceList pieces = new PieceList();
        if (system != null) {
            pieces.control(START + "system\n").plain(system).control(END + "\n");
        }
        return pieces.control(START + "user\n")
                .all(user)
                .control(END + "\n" + START + "assistant\n")
                .build();
    }
}
