package dev.prpf.par.serve.openai;

import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.ResponseText;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.serve.generation.GenerationStream;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.ClientConnection;
import dev.prpf.par.serve.http.EventStream;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.openai.ChatCompletion.Usage;
import dev.prpf.par.serve.openai.CompletionAnswer.TextCompletion;
import io.javalin.http.Context;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
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
        List<CompletionAnswer> answers = new ArrayList<>();
        for (int i = 0; i < generations.size(); i++) {
            GenerationRequest one = generations.get(i);
            ResponseText text = new ResponseText(
                    one.params(),
                    request.generation().view().text(model.chat().tokenizer()),
                    one.prompt().ids());
            answers.add(new CompletionAnswer(i, request, text, texts));
        }
        EventStream events = new EventStream(context);
        AnswerLoop loop = new AnswerLoop(new ClientConnection(context), events);
        List<GenerationStream> streams = model.service().submit(generations);
        Taker taker = new Taker(context, request, answers, events);
        try {
            loop.run(streams, taker);
            taker.end(context);
        } catch (RuntimeException e) {
            events.fail(e);
        }
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

    /** Collects the updates, or sends them on. */
    private final class Taker implements AnswerLoop.Taker {
        private final TextCompletionRequest request;
        private final List<CompletionAnswer> answers;
        private final EventStream events;
        private final String id;
        private final long created = Instant.now().getEpochSecond();
        private final TextCompletion.@Nullable Choice[] choices;
        private final boolean[] begun;
        private int written;
        private int cached;

        Taker(Context context, TextCompletionRequest request, List<CompletionAnswer> answers, EventStream events) {
            this.request = request;
            this.answers = answers;
            this.events = events;
            id = "cmpl-" + ApiServer.requestId(context);
            choices = new TextCompletion.Choice[answers.size()];
            begun = new boolean[answers.size()];
        }

        @Override
        public void tokens(int index, Update.Tokens tokens) {
            answers.get(index).add(tokens);
            if (request.generation().stream() && answers.get(index).says()) {
                send(take(index, null));
            }
        }

        @Override
        public void finished(int index, Update.Finished finished) {
            CompletionAnswer answer = answers.get(index);
            answer.echo(finished);
            TextCompletion.Choice last =
                    take(index, answer.finish(finished, model.defaults().endTokens()));
            written += answer.written(finished.generation());
            cached += index % request.generation().n() == 0
                    ? finished.generation().cost().cachedTokens()
                    : 0;
            if (request.generation().stream()) {
                send(last);
            } else {
                choices[index] = last;
            }
        }

        private TextCompletion.Choice take(int index, @Nullable Finish finish) {
            TextCompletion.Choice choice = answers.get(index).take(finish, !begun[index]);
            begun[index] = true;
            return choice;
        }

        private void send(TextCompletion.Choice choice) {
            events.send(completion(List.of(choice), null));
        }

        private TextCompletion completion(List<TextCompletion.Choice> of, @Nullable Usage usage) {
            return new TextCompletion(id, "text_completion", created, model.id(), of, usage);
        }

        void end(Context context) {
            int prompts = request.prompts().stream()
                    .mapToInt(prompt -> prompt.ids().length)
                    .sum();
            Usage usage = Usage.of(prompts, written, cached);
            if (!request.generation().stream()) {
                List<TextCompletion.Choice> all =
                        Arrays.stream(choices).map(Objects::requireNonNull).toList();
                ApiServer.answer(context, 200, completion(all, usage));
                return;
            }
            if (request.generation().usage()) {
                events.send(completion(List.of(), usage));
            }
            events.done();
        }
    }
}
