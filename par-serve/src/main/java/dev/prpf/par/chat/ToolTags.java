package dev.prpf.par.chat;

import java.util.List;

/** The tags of reasoning and calls in the responses of the Qwen families. */
public final class ToolTags {
    public static final String THINK = "<think>";
    public static final String END_THINK = "</think>";
    public static final String CALL = "<tool_call>";
    public static final String END_CALL = "</tool_call>";
    /** Qwen3.5's tag before a function's name and {@code >}. */
    public static final String FUNCTION = "<function=";

    public static final String END_FUNCTION = "</function>";
    /** Qwen3.5's tag before a parameter's name and {@code >}. */
    public static final String PARAMETER = "<parameter=";

    public static final String END_PARAMETER = "</parameter>";

    /** The tags that may be control tokens of a tokenizer. */
    public static final List<String> CONTROL = List.of(THINK, END_THINK, CALL, END_CALL);

    private ToolTags() {}
}
