package dev.prpf.par.chat;

/** The syntax of calls in a family of models. */
public enum ToolSyntax {
    /** The family has no calls. */
    NONE,
    /** Qwen2.5 and Qwen3 write {@code {"name": …, "arguments": {…}}} in a tag. */
    JSON,
    /** Qwen3.5 writes a tag for the function and one for each parameter, in a tag. */
    TAGS
}
