package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.prpf.par.serve.openai.ChatCompletion.Usage;
import dev.prpf.par.serve.openai.answer.AnswerForms.AnswerDelta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One event of a chat's stream. */
record ChatChunk(
        String id,
        String object,
        long created,
        String model,
        List<Choice> choices,
        @JsonInclude(Include.NON_NULL) @Nullable Usage usage,
        @JsonInclude(Include.NON_NULL) @Nullable List<Long> promptTokenIds) {

    /** The new part of one answer. */
    record Choice(
            int index,
            Delta delta,
            @Nullable ChatLogprobs logprobs,
            @Nullable String finishReason,
            @JsonInclude(Include.NON_NULL) @Nullable Object stopReason,
            @JsonInclude(Include.NON_NULL) @Nullable List<Long> tokenIds) {}

    /** The new part of a message. */
    @JsonInclude(Include.NON_NULL)
    record Delta(
            @Nullable String role,
            @Nullable String content,
            @Nullable String reasoning,
            @Nullable List<ChatCompletion.ToolCall> toolCalls) {
        static final Delta NOTHING = new Delta(null, null, null, null);

        /** Returns the first delta of every answer. */
        static Delta begin() {
            return new Delta("assistant", "", null, null);
        }

        static Delta of(AnswerDelta delta) {
            if (delta instanceof AnswerDelta.Content said) {
                return new Delta(null, said.text(), null, null);
            }
            if (delta instanceof AnswerDelta.Reasoning thought) {
                return new Delta(null, null, thought.text(), null);
            }
            AnswerDelta.ToolCall call = (AnswerDelta.ToolCall) delta;
            return new Delta(
                    null,
                    null,
                    null,
                    List.of(new ChatCompletion.ToolCall(
                            call.index(),
                            call.id(),
                            call.id() == null ? null : "function",
                            new ChatCompletion.Function(call.name(), call.arguments()))));
        }
    }
}
