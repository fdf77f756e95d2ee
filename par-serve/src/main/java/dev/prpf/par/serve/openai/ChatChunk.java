package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.prpf.par.chat.ToolCallReader.Part;
import dev.prpf.par.serve.openai.ChatCompletion.Usage;
import java.util.List;
import java.util.UUID;
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

        static Delta of(Part part) {
            if (part instanceof Part.Content said) {
                return new Delta(null, said.text(), null, null);
            }
            if (part instanceof Part.Reasoning thought) {
                return new Delta(null, null, thought.text(), null);
            }
            Part.Call call = (Part.Call) part;
            boolean first = call.name() != null;
            return new Delta(
                    null,
                    null,
                    null,
                    List.of(new ChatCompletion.ToolCall(
                            call.index(),
                            first ? "call_" + UUID.randomUUID().toString().replace("-", "") : null,
                            first ? "function" : null,
                            new ChatCompletion.Function(call.name(), call.arguments()))));
        }
    }
}
