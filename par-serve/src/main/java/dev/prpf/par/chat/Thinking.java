package dev.prpf.par.chat;

/** The state of reasoning at the beginning of a response. */
public enum Thinking {
    /** The response has no reasoning. */
    NONE,
    /** Reasoning may come, in {@code <think>} tags. */
    OPTIONAL,
    /** Reasoning has begun: the prompt ends with {@code <think>}. */
    BEGUN;

    /** Returns the state after a template's prompt, or after the end of one. */
    public static Thinking after(ChatTemplate template, String prompt) {
        if (!template.takesThinking()) {
            return NONE;
        }
        String text = prompt.stripTrailing();
        return text.endsWith(ToolTags.THINK) ? BEGUN : text.endsWith(ToolTags.END_THINK) ? NONE : OPTIONAL;
    }
}
