package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.prpf.par.generate.ResponseText;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import dev.prpf.par.serve.openai.ChatCompletion.Usage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One completion during its generation: takes tokens and returns choices once they contain text. */
final class CompletionAnswer {
    private final int index;
    private final TextCompletionRequest request;
    private final TextCompletionRequest.Prompt prompt;
    private final ResponseText text;
    private final CompletionLogprobs.Builder logprobs;
    private final List<Update.Tokens> pending = new ArrayList<>();
    private final List<Long> ids = new ArrayList<>();
    private final StringBuilder said = new StringBuilder();
    private boolean begun;

    CompletionAnswer(int index, TextCompletionRequest request, ResponseText text, TokenTexts texts) {
        this.index = index;
        this.request = request;
        this.text = text;
        prompt = request.prompts().get(index / request.generation().n());
        logprobs = new CompletionLogprobs.Builder(
                texts, request.generation().view().tokensAsIds());
        if (request.echo()) {
            said.append(prompt.text());
        }
    }

    /** Adds tokens; ignores them if the request is for zero tokens. */
    void add(Update.Tokens tokens) {
        if (request.maxTokens() == 0) {
            return;
        }
        if (request.top() != null) {
            pending.add(tokens);
        }
        for (long id : tokens.ids()) {
            ids.add(id);
            said.append(text.add(id));
        }
    }

    /** Returns whether there is new text. */
    boolean says() {
        return !said.isEmpty();
    }

    /** Returns the last text, after the log-probabilities of the echoed prompt. */
    TextCompletion.Choice end(Update.Finished finished, List<Integer> ownEnd) {
        if (finished.prompt() != null) {
            logprobs.add(prompt.ids(), finished.prompt());
        }
        if (request.maxTokens() == 0) {
            return take(new Finish(Finish.LENGTH, null));
        }
        said.append(text.end());
        return take(Finish.of(finished.generation(), text.stop(), ownEnd));
    }

    /** Returns the new text since the last call, with the finish reason at the end. */
    TextCompletion.Choice take(@Nullable Finish finish) {
        TextCompletion.Choice choice = new TextCompletion.Choice(
                index,
                said.toString(),
                request.top() == null ? null : logprobs(),
                finish == null ? null : finish.reason(),
                finish == null ? null : finish.stopReason(),
                tellsIds() && !begun ? ChatAnswer.list(prompt.ids()) : null,
                tellsIds() ? List.copyOf(ids) : null);
        begun = true;
        said.setLength(0);
        ids.clear();
        return choice;
    }

    private boolean tellsIds() {
        return request.generation().view().tokenIds();
    }

    private CompletionLogprobs logprobs() {
        pending.forEach(logprobs::add);
        pending.clear();
        return logprobs.take();
    }

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
}
