package dev.prpf.par.chat;

/** Where a response stands as it begins. */
public enum Thinking {
    /** Thoughts cannot come. */
    NONE,
    /** They may come, in {@code <think>} tags. */
    OPTIONAL,
    /** Within them: the prompt ends with {@code <think>}. */
    BEGUN;

    /** Behind a prompt of a template, of which the end is enough. */
    public static Thinking after(ChatTemplate template, String prompt) {
        if (!template.takesThinking()) {
            return NONE;
        }
        String text = prompt.stripTrailing();
        return text.endsWith(ToolTags.THINK) ? BEGUN : text.endsWith(ToolTags.END_THINK) ? NONE : OPTIONAL;
    }
}
