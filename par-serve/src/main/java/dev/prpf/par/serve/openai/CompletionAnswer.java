package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.prpf.par.generate.Generation.PromptScores;
import dev.prpf.par.generate.Generation.TopLogprobs;
import dev.prpf.par.generate.ResponseText;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import dev.prpf.par.serve.openai.ChatCompletion.Usage;
import dev.prpf.par.serve.openai.CompletionHandler.TextCompletionRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** One completion during its generation: takes tokens and returns choices once they contain text. */
final class CompletionAnswer {
    private final int index;
    private final TextCompletionRequest request;
    private final TextCompletionRequest.TokenizedPrompt prompt;
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

    record TextCompletion(
            String id,
            String object,
            long created,
            String model,
            List<Choice> choices,
            @JsonInclude(Include.NON_NULL) @Nullable Usage usage) {

        record Choice(
                int index,
                String text,
                @Nullable CompletionLogprobs logprobs,
                @Nullable String finishReason,
                @Nullable Object stopReason,
                @JsonInclude(Include.NON_NULL) @Nullable List<Long> promptTokenIds,
                @JsonInclude(Include.NON_NULL) @Nullable List<Long> tokenIds) {}
    }

    /**
     * Log-probabilities in the format of OpenAI's completions: one list per property, in the tokens' order.
     *
     * @param tokenLogprobs null for a prompt's first token, which has no predecessor
     * @param topLogprobs the likeliest tokens at each position, and the actual one; null where the log-probability is null
     * @param textOffset where each token begins in the text, in code points; a token within a character has that character's offset
     */
    record CompletionLogprobs(
            List<String> tokens,
            List<@Nullable Float> tokenLogprobs,
            List<@Nullable Map<String, Float>> topLogprobs,
            List<Integer> textOffset) {

        private static CompletionLogprobs empty() {
            return new CompletionLogprobs(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }

        static final class Builder {
            private final LongFunction<String> names;
            private final TokenTexts texts;
            private CompletionLogprobs collected = empty();
            private int offset;

            Builder(TokenTexts texts, boolean asIds) {
                names = asIds ? TokenTexts::asId : texts::distinct;
                this.texts = texts;
            }

            /** Adds the prompt's tokens, for an answer that echoes them. */
            void add(long[] prompt, PromptScores scores) {
                add(prompt[0], null, null);
                for (int i = 1; i < prompt.length; i++) {
                    TopLogprobs top =
                            scores.top().isEmpty() ? null : scores.top().get(i - 1);
                    add(prompt[i], scores.logProbabilities()[i - 1], top);
                }
            }

            void add(Update.Tokens more) {
                for (int i = 0; i < more.ids().length; i++) {
                    add(
                            more.ids()[i],
                            more.logProbabilities()[i],
                            more.top().isEmpty() ? null : more.top().get(i));
                }
            }

            private void add(long id, @Nullable Float logProbability, @Nullable TopLogprobs top) {
                int[] bytes = texts.bytes(id);
                boolean within = bytes != null && bytes.length > 0 && continues(bytes[0]);
                collected.tokens.add(names.apply(id));
                collected.tokenLogprobs.add(logProbability);
                collected.topLogprobs.add(logProbability == null ? null : likeliest(id, logProbability, top));
                collected.textOffset.add(within ? Math.max(0, offset - 1) : offset);
                offset += bytes == null
                        ? (int) texts.text(id).codePoints().count()
                        : (int) Arrays.stream(bytes).filter(b -> !continues(b)).count();
            }

            /** Returns whether a byte of UTF-8 continues a character. */
            private static boolean continues(int b) {
                return (b & 0xC0) == 0x80;
            }

            private Map<String, Float> likeliest(long id, float logProbability, @Nullable TopLogprobs top) {
                Map<String, Float> likeliest = new LinkedHashMap<>();
                for (int i = 0; top != null && i < top.ids().length; i++) {
                    likeliest.putIfAbsent(names.apply(top.ids()[i]), top.logProbabilities()[i]);
                }
                likeliest.put(names.apply(id), logProbability);
                return likeliest;
            }

            CompletionLogprobs take() {
                CompletionLogprobs taken = collected;
                collected = empty();
                return taken;
            }
        }
    }
}
