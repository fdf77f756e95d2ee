package dev.prpf.par.serve.openai.answer;

import org.jspecify.annotations.Nullable;

/** A piece of a chat's answer. Pieces of one kind, joined in order, are that part of the message. */
public sealed interface AnswerDelta {
    /** What is said. */
    record Content(String text) implements AnswerDelta {}

    /** What is thought, where that is told apart. */
    record Reasoning(String text) implements AnswerDelta {}

    /**
     * A call of a function.
     *
     * @param index of the call in the message
     * @param id with its first piece, else null
     * @param name of the function, with its first piece, else null
     * @param arguments more of their JSON; may be empty
     */
    record ToolCall(int index, @Nullable String id, @Nullable String name, String arguments) implements AnswerDelta {}
}
