package dev.prpf.par.serve.openai.answer;

import org.jspecify.annotations.Nullable;

/** A piece of a chat's answer. Pieces of one kind, joined in order, are that part of the message. */
public sealed interface AnswerDelta {
    /** A piece of the message's content. */
    record Content(String text) implements AnswerDelta {}

    /** A piece of the reasoning, if it is separated from the content. */
    record Reasoning(String text) implements AnswerDelta {}

    /**
     * A piece of a function call.
     *
     * @param index of the call in the message
     * @param id with its first piece, else null
     * @param name of the function, with its first piece, else null
     * @param arguments next part of their JSON; may be empty
     */
    record ToolCall(int index, @Nullable String id, @Nullable String name, String arguments) implements AnswerDelta {}
}
