package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.ResponseText;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.openai.ChatCompletion.Usage;
import dev.prpf.par.serve.openai.CompletionAnswer.TextCompletion;
import dev.prpf.par.tokenizer.Tokenizer;
import io.javalin.http.Context;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Handles requests for {@code POST /v1/completions}. */
record CompletionHandler(ServedModel model, TokenTexts texts) {
    /** @param read called once every known field was read */
    void answer(Context context, RequestFields body, Runnable read) {
        TextCompletionRequest request = ApiServer.read(context, () -> TextCompletionRequest.of(body, model));
        read.run();
        List<GenerationRequest> generations = new ArrayList<>();
        for (TextCompletionRequest.TokenizedPrompt prompt : request.prompts()) {
            generations.addAll(generations(request, prompt.ids(), ApiServer.caller(context)));
        }
        Answers answers = new Answers(context, request);
        for (int i = 0; i < generations.size(); i++) {
            GenerationRequest one = generations.get(i);
            ResponseText text = new ResponseText(
                    one.params(),
                    request.generation().view().text(model.chat().tokenizer()),
                    one.prompt().ids());
            answers.answers.add(new CompletionAnswer(i, request, text, texts));
        }
        answers.run(model.service().submit(generations));
    }

    private List<GenerationRequest> generations(TextCompletionRequest request, long[] prompt, String caller) {
        boolean scored = request.echo() && request.top() != null;
        int room =
                GenerationFields.room(model, prompt.length, Math.max(1, request.maxTokens()), "prompt", "max_tokens");
        SamplingParams params = request.generation().params(room, request.top(), scored);
        return new GenerationRequest(
                        Prompt.ofText(prompt), params, request.generation().seed(), null, caller)
                .samples(request.generation().n());
    }

    private final class Answers extends AnswerLoop<TextCompletion.Choice> {
        private final TextCompletionRequest request;
        private final List<CompletionAnswer> answers = new ArrayList<>();
        private final List<TextCompletion.Choice> choices = new ArrayList<>();
        private final String id;

        Answers(Context context, TextCompletionRequest request) {
            super(context, request.generation());
            this.request = request;
            id = "cmpl-" + ApiServer.requestId(context);
        }

        @Override
        List<TextCompletion.Choice> tokens(int index, Update.Tokens tokens) {
            CompletionAnswer answer = answers.get(index);
            answer.add(tokens);
            return request.generation().stream() && answer.says() ? List.of(answer.take(null)) : List.of();
        }

        @Override
        List<TextCompletion.Choice> finished(int index, Update.Finished finished) {
            return List.of(answers.get(index).end(finished, model.defaults().endTokens()));
        }

        @Override
        int written(Update.Finished finished) {
            return request.maxTokens() == 0 ? 0 : super.written(finished);
        }

        @Override
        void collect(TextCompletion.Choice choice) {
            choices.add(choice);
        }

        @Override
        Object event(List<TextCompletion.Choice> of, @Nullable Usage usage) {
            return new TextCompletion(id, "text_completion", created, model.id(), of, usage);
        }

        @Override
        Object whole(Usage usage) {
            choices.sort(Comparator.comparingInt(TextCompletion.Choice::index));
            return event(choices, usage);
        }

        @Override
        int promptTokens() {
            return request.prompts().stream()
                    .mapToInt(prompt -> prompt.ids().length)
                    .sum();
        }
    }

    /**
     * A request to complete texts.
     *
     * @param maxTokens maximum tokens of an answer; 0 only with {@code echo}
     * @param top number of likeliest tokens to return at each position; null without log-probabilities
     * @param echo whether answers begin with their prompts
     */
    record TextCompletionRequest(
            List<TokenizedPrompt> prompts,
            int maxTokens,
            @Nullable Integer top,
            boolean echo,
            GenerationFields generation) {
        /** OpenAI's default of {@code max_tokens}. */
        private static final int SHORT = 16;

        /** A prompt, with its text as received or decoded from its ids. */
        record TokenizedPrompt(long[] ids, String text) {}

        /** @throws ApiException 404 for another model, 400 for unsupported or invalid fields */
        static TextCompletionRequest of(RequestFields body, ServedModel model) {
            GenerationFields generation = GenerationFields.of(body, model);
            if (!ResponseFormat.of(body).isText()) {
                String field = body.json("structured_outputs") == null ? "response_format" : "structured_outputs";
                throw ApiException.invalid(field, field + " is not supported here, only in chats");
            }
            boolean echo = body.flag("echo", false);
            int most = body.integer("max_tokens", echo ? 0 : 1, Integer.MAX_VALUE, SHORT);
            Long top = body.integer("logprobs", 0, GenerationFields.MOST_LOGPROBS);
            if (echo && top != null && generation.stream()) {
                throw ApiException.invalid("echo", "echo with logprobs cannot be streamed; give \"stream\": false");
            }
            List<TokenizedPrompt> prompts = prompts(body, model, generation);
            return new TextCompletionRequest(prompts, most, top == null ? null : top.intValue(), echo, generation);
        }

        /** Reads a text, several texts, ids, or several lists of ids. */
        private static List<TokenizedPrompt> prompts(
                RequestFields body, ServedModel model, GenerationFields generation) {
            JsonNode given = body.required("prompt");
            boolean one = given.isTextual() || (given.isArray() && given.path(0).isNumber());
            List<JsonNode> nodes = one ? List.of(given) : body.list("prompt");
            if (nodes.isEmpty()) {
                throw body.wrong("prompt", given, "a text, token ids, or a list of either, not empty");
            }
            requireFew(nodes.size() * generation.n(), model.service().most()); // before tokenization
            boolean special = body.flag("add_special_tokens", true);
            List<TokenizedPrompt> prompts = new ArrayList<>();
            for (int i = 0; i < nodes.size(); i++) {
                String field = one ? "prompt" : "prompt[" + i + "]";
                TokenizedPrompt prompt = prompt(field, nodes.get(i), model, generation, special);
                if (prompt.ids().length == 0) {
                    throw ApiException.invalid(field, field + " is empty, must hold at least one token");
                }
                requireText(prompt, field, model);
                prompts.add(prompt);
            }
            return prompts;
        }

        private static void requireText(TokenizedPrompt prompt, String field, ServedModel model) {
            int placeholder = model.chat().images().placeholder();
            if (LongStream.of(prompt.ids()).anyMatch(id -> id == placeholder)) {
                throw ApiException.invalid(
                        field,
                        field + " holds token " + placeholder + ", which is a placeholder of an image; "
                                + (model.sees()
                                        ? "an image comes in a chat, as an image_url part of a message"
                                        : model.noImagesMessage()));
            }
        }

        private static void requireFew(int answers, int most) {
            if (answers > most) {
                throw ApiException.invalid(
                        "prompt",
                        "prompt and n ask for " + answers + " answers at once, this server gives at most " + most);
            }
        }

        private static TokenizedPrompt prompt(
                String field, JsonNode given, ServedModel model, GenerationFields generation, boolean special) {
            Tokenizer tokenizer = model.chat().tokenizer();
            if (given.isTextual()) {
                String text = given.textValue();
                GenerationFields.requireShort(model, text.length(), field);
                return new TokenizedPrompt(special ? tokenizer.encodeFirst(text) : tokenizer.encodePlain(text), text);
            }
            long[] ids = GenerationFields.ids(field, given, model.service().vocabularySize());
            return new TokenizedPrompt(ids, generation.view().text(tokenizer).apply(ids));
        }
    }
}
