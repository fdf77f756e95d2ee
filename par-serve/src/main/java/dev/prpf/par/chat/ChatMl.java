package dev.prpf.par.chat;

import dev.prpf.par.tokenizer.Piece;

/** The markup of Qwen, SmolLM2 and the models made here: a turn is its role and text between two control tokens. */
public final class ChatMl {
    public static final String START = "<|im_start|>";
    public static final String END = "<|im_end|>";

    /** {@link ChatTemplates#CHATML} as Jinja, for the {@code chat_template} of a tokenizer_config.json; without a default system message. */
    public static final String TEMPLATE =
            "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
                    + "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

    /** {@link #TEMPLATE} for messages that may be lists of parts, {@code text} and {@code image}; an image is written as by Qwen's models. */
    public static final String IMAGE_TEMPLATE =
            "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' }}"
                    + "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
                    + "{% for part in message['content'] %}{% if part['type'] == 'image' %}"
                    + "{{ '" + Piece.IMAGE.text()
                    + "' }}{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}"
                    + "{{ '<|im_end|>' + '\\n' }}{% endfor %}"
                    + "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

    private ChatMl() {}
}
