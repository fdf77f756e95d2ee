package dev.prpf.par.serve.openai;

import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.ResponseText;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One text as it goes on: tokens go in, choices come out once they say something. */
final class CompletionAnswer {
    private final int index;
    private final CompletionRequest request;
    private final CompletionRequest.Prompt prompt;
    private final ResponseText text;
    private final TokenTexts texts;
    private final CompletionLogprobs.Builder logprobs;
    private final List<Long> ids = new ArrayList<>();
    private final StringBuilder said = new StringBuilder();

    CompletionAnswer(int index, CompletionRequest request, ResponseText text, TokenTexts texts) {
        this.index = index;
        this.request = request;
        this.text = text;
        this.texts = texts;
        prompt = request.prompts().get(index / request.generation().n());
        logprobs = new CompletionLogprobs.Builder(
                texts, request.generation().view().tokensAsIds());
        if (request.echo()) {
            said.append(prompt.text());
        }
    }

    CompletionRequest.Prompt prompt() {
        return prompt;
    }

    /** More tokens; of a request for none, nothing is said. */
    void add(Update.Tokens tokens) {
        if (request.maxTokens() == 0) {
            return;
        }
        if (request.top() != null) {
            logprobs.add(tokens);
        }
        for (long id : tokens.ids()) {
            ids.add(id);
            said.append(text.add(id));
        }
    }

    /** Whether there is text to tell. */
    boolean says() {
        return !said.isEmpty();
    }

    /** Tokens that were written. */
    int written(Generation generation) {
        return request.maxTokens() == 0 ? 0 : generation.ids().length;
    }

    /** How likely the prompt is that it begins with. */
    void echo(Update.Finished finished) {
        if (finished.prompt() != null) {
            CompletionLogprobs.Builder before = new CompletionLogprobs.Builder(
                    texts, request.generation().view().tokensAsIds());
            before.add(prompt.ids(), finished.prompt());
            logprobs.before(before);
        }
    }

    /** What was gained since the last one, and how it ended, if it did. */
    TextCompletion.Choice take(@Nullable Finish finish, boolean first) {
        TextCompletion.Choice choice = new TextCompletion.Choice(
                index,
                said.toString(),
                request.top() == null ? null : logprobs.take(),
                finish == null ? null : finish.reason(),
                finish == null ? null : finish.stopReason(),
                first && tellsIds() ? ChatAnswer.list(prompt.ids()) : null,
                tellsIds() ? List.copyOf(ids) : null);
        said.setLength(0);
        ids.clear();
        return choice;
    }

    private boolean tellsIds() {
        return request.generation().view().tokenIds();
    }

    /** The end of it. */
    Finish finish(Update.Finished finished, List<Integer> ownEnd) {
        said.append(request.maxTokens() == 0 ? "" : text.end());
        return request.maxTokens() == 0
                ? new Finish(Finish.LENGTH, null)
                : Finish.of(finished.generation(), text.stop(), ownEnd);
    }
}
