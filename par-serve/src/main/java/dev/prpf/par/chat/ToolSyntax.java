package dev.prpf.par.chat;

/** How a family of models writes calls. */
public enum ToolSyntax {
    /** Not at all. */
    NONE,
    /** Qwen2.5 and Qwen3: {@code {"name": …, "arguments": {…}}} in a tag. */
    JSON,
    /** Qwen3.5: a tag for the function and one for each parameter, in a tag. */
    TAGS
}
