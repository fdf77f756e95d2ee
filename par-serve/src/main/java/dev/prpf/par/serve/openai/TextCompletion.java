package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Completions of texts, whole or as an event of a stream. */
record TextCompletion(
        String id,
        String object,
        long created,
        String model,
        List<Choice> choices,
        @JsonInclude(Include.NON_NULL) @Nullable Usage usage) {

    /** One of the completions, or its new part. */
    record Choice(
            int index,
            String text,
            @Nullable CompletionLogprobs logprobs,
            @Nullable String finishReason,
            @Nullable Object stopReason,
            @JsonInclude(Include.NON_NULL) @Nullable List<Long> promptTokenIds,
            @JsonInclude(Include.NON_NULL) @Nullable List<Long> tokenIds) {}
}
