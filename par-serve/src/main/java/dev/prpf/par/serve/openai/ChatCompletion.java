package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.prpf.par.generate.Generation.TopLogprobs;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The complete answers of a chat. */
record ChatCompletion(
        String id,
        String object,
        long created,
        String model,
        List<Choice> choices,
        Usage usage,
        @JsonInclude(Include.NON_NULL) @Nullable List<Long> promptTokenIds) {

    record Choice(
            int index,
            Message message,
            @Nullable ChatLogprobs logprobs,
            String finishReason,
            @Nullable Object stopReason,
            @JsonInclude(Include.NON_NULL) @Nullable List<Long> tokenIds) {}

    /** The message of an answer; content is null if it contains only calls. */
    record Message(
            String role,
            @Nullable String content,
            @Nullable String refusal,
            @JsonInclude(Include.NON_NULL) @Nullable String reasoning,
            @JsonInclude(Include.NON_NULL) @Nullable List<ToolCall> toolCalls) {}

    /** A call, or a piece of one; only the first piece has id, type and name. */
    record ToolCall(
            @JsonInclude(Include.NON_NULL) @Nullable Integer index,
            @JsonInclude(Include.NON_NULL) @Nullable String id,
            @JsonInclude(Include.NON_NULL) @Nullable String type,
            Function function) {
        /** Returns this call with a later piece of its arguments. */
        ToolCall plus(ToolCall piece) {
            Function whole = new Function(function.name, function.arguments + piece.function.arguments);
            return new ToolCall(index, id, type, whole);
        }
    }

    record Function(@JsonInclude(Include.NON_NULL) @Nullable String name, String arguments) {}

    /**
     * The token counts of a request.
     *
     * @param promptTokens of its prompts, each counted once for any number of answers
     * @param completionTokens of all answers, with the tokens that ended them
     */
    record Usage(int promptTokens, int completionTokens, int totalTokens, Details promptTokensDetails) {
        /** @param cachedTokens prompt tokens from the prefix cache */
        record Details(int cachedTokens) {}

        static Usage of(int promptTokens, int completionTokens, int cachedTokens) {
            return new Usage(
                    promptTokens, completionTokens, promptTokens + completionTokens, new Details(cachedTokens));
        }
    }

    record ChatLogprobs(List<Entry> content) {
        /** A generated token, and the likeliest tokens at its position. */
        record Entry(String token, float logprob, int @Nullable [] bytes, List<Alternative> topLogprobs) {}

        record Alternative(String token, float logprob, int @Nullable [] bytes) {}

        static List<Entry> entries(Update.Tokens tokens, TokenTexts texts, boolean asIds) {
            List<Entry> entries = new ArrayList<>();
            for (int i = 0; i < tokens.ids().length; i++) {
                List<Alternative> top = tokens.top().isEmpty()
                        ? List.of()
                        : alternatives(tokens.top().get(i), texts, asIds);
                long id = tokens.ids()[i];
                entries.add(new Entry(name(id, texts, asIds), tokens.logProbabilities()[i], texts.bytes(id), top));
            }
            return entries;
        }

        private static List<Alternative> alternatives(TopLogprobs top, TokenTexts texts, boolean asIds) {
            return IntStream.range(0, top.ids().length)
                    .mapToObj(i -> new Alternative(
                            name(top.ids()[i], texts, asIds), top.logProbabilities()[i], texts.bytes(top.ids()[i])))
                    .toList();
        }

        private static String name(long id, TokenTexts texts, boolean asIds) {
            return asIds ? TokenTexts.asId(id) : texts.text(id);
        }
    }
}
