package dev.prpf.par.serve.openai;

import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.ResponseText;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.openai.ChatCompletion.Usage;
import dev.prpf.par.serve.openai.CompletionAnswer.TextCompletion;
import io.javalin.http.Context;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Handles requests for {@code POST /v1/completions}. */
record CompletionHandler(ServedModel model, TokenTexts texts) {
    /** @param read called once every known field was read */
    void answer(Context context, RequestFields body, Runnable read) {
        TextCompletionRequest request = ApiServer.read(context, () -> TextCompletionRequest.of(body, model));
        read.run();
        List<GenerationRequest> generations = new ArrayList<>();
        for (TextCompletionRequest.Prompt prompt : request.prompts()) {
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

    /** The completions of one request. */
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
}
