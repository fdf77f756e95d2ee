package dev.prpf.par.chat;

/**
 * An assistant's turn as Qwen3 and Qwen3.5 take it apart: what it thought, from its own field or from {@code <think>} in the content, and
 * what it said.
 */
record SpokenTurn(MarkedText reasoning, MarkedText content) {
    static SpokenTurn of(ChatMessage message, MarkedText content) {
        String reasoning = message.reasoning();
        if (reasoning != null) {
            return new SpokenTurn(MarkedText.plain(reasoning), content);
        }
        return content.hasThinking()
                ? new SpokenTurn(content.thinking(), content.afterThinking())
                : new SpokenTurn(MarkedText.plain(""), content);
    }
}
