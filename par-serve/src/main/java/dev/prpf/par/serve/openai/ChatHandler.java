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
import dev.prpf.par.serve.http.ImageBounds;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.openai.ChatCompletion.Usage;
import dev.prpf.par.serve.openai.ChatMessageBuilder.ChatUpdate;
import dev.prpf.par.serve.openai.answer.AnswerForms;
import dev.prpf.par.serve.openai.answer.AnswerForms.AnswerRequest;
import io.javalin.http.Context;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Handles requests for {@code POST /v1/chat/completions}. */
record ChatHandler(ServedModel model, TokenTexts texts, AnswerForms forms, ImageBounds bounds) {
    private static final String CHUNK = "chat.completion.chunk";

    /** @param body of the request; every known field has been read when this returns or throws */
    void answer(Context context, RequestFields body, Runnable read) {
        ChatCompletionRequest request = ApiServer.read(context, () -> ChatCompletionRequest.of(body, model, bounds));
        String limited = body.json("max_completion_tokens") == null ? "max_tokens" : "max_completion_tokens";
        long[] prompt = request.prompt().ids();
        int room = GenerationFields.room(model, prompt.length, request.maxTokens(), "messages", limited);
        SamplingParams params = request.generation().params(room, request.top(), false);
        ClientConnection connection = new ClientConnection(context);
        String caller = ApiServer.caller(context);
        AnswerRequest asked = new AnswerRequest(caller, request.tools(), request.format(), prompt, room, ends(params));
        AnswerForms.AnswerForm form = asked.constrained()
                ? ApiServer.compute(context, connection::requireOpen, () -> forms.of(asked))
                : forms.of(asked);
        read.run();
        Prompt seen = model.see(request.prompt(), caller, connection::requireOpen);
        List<GenerationRequest> generations = new GenerationRequest(
                        seen, params, request.generation().seed(), form.constraint(), caller)
                .samples(request.generation().n());
        List<ChatAnswer> answers = generations.stream()
                .map(one -> new ChatAnswer(
                        new ResponseText(
                                params,
                                request.generation().view().text(model.chat().tokenizer()),
                                prompt),
                        form.reader().get(),
                        request,
                        texts))
                .toList();
        EventStream events = new EventStream(context);
        AnswerLoop loop = new AnswerLoop(connection, events);
        List<GenerationStream> streams = model.service().submit(generations);
        Head head = Head.of(context);
        if (request.generation().stream()) {
            streamed(loop, streams, new Streamed(request, answers, events, head));
        } else {
            Whole whole = new Whole(request, answers);
            loop.run(streams, whole);
            ApiServer.answer(context, 200, whole.completion(head));
        }
    }

    /** Returns whether the model's first end token ends an answer at any position. */
    private boolean ends(SamplingParams params) {
        return params.changes().minNewTokens() == 0
                && model.defaults().endTokens().stream()
                        .limit(1)
                        .allMatch(params.ending().tokens()::contains);
    }

    private static void streamed(AnswerLoop loop, List<GenerationStream> streams, Streamed streamed) {
        try {
            loop.run(streams, streamed);
            streamed.end();
        } catch (RuntimeException e) {
            loop.events().fail(e);
        }
    }

    /** Common fields of an answer's records. */
    private record Head(String id, long created) {
        static Head of(Context context) {
            return new Head(
                    "chatcmpl-" + ApiServer.requestId(context), Instant.now().getEpochSecond());
        }
    }

    private abstract static class Counting implements AnswerLoop.Taker {
        final ChatCompletionRequest request;
        private int written;
        private int cached;

        Counting(ChatCompletionRequest request) {
            this.request = request;
        }

        void count(int index, Update.Finished finished) {
            written += finished.generation().ids().length;
            cached = index == 0 ? finished.generation().cost().cachedTokens() : cached;
        }

        Usage counted() {
            return Usage.of(request.prompt().ids().length, written, cached);
        }

        @Nullable
        List<Long> promptIds() {
            return request.generation().view().tokenIds()
                    ? ChatAnswer.list(request.prompt().ids())
                    : null;
        }
    }

    /** Collects the complete answers. */
    private final class Whole extends Counting {
        private final List<ChatAnswer> answers;
        private final List<ChatMessageBuilder> messages = new ArrayList<>();
        private final ChatCompletion.@Nullable Choice[] choices;

        Whole(ChatCompletionRequest request, List<ChatAnswer> answers) {
            super(request);
            this.answers = answers;
            answers.forEach(answer -> messages.add(new ChatMessageBuilder()));
            choices = new ChatCompletion.Choice[answers.size()];
        }

        @Override
        public void tokens(int index, Update.Tokens tokens) {
            messages.get(index).add(answers.get(index).add(tokens));
        }

        @Override
        public void finished(int index, Update.Finished finished) {
            messages.get(index).add(answers.get(index).end());
            Finish finish = answers.get(index)
                    .finish(finished.generation(), model.defaults().endTokens());
            choices[index] = messages.get(index).choice(index, request, finish);
            count(index, finished);
        }

        ChatCompletion completion(Head head) {
            return new ChatCompletion(
                    head.id(), "chat.completion", head.created(), model.id(), List.of(choices), counted(), promptIds());
        }
    }

    /** Sends updates as events. */
    private final class Streamed extends Counting {
        private final List<ChatAnswer> answers;
        private final EventStream events;
        private final Head head;

        Streamed(ChatCompletionRequest request, List<ChatAnswer> answers, EventStream events, Head head) {
            super(request);
            this.answers = answers;
            this.events = events;
            this.head = head;
        }

        @Override
        public void tokens(int index, Update.Tokens tokens) {
            begin();
            ChatUpdate part = answers.get(index).add(tokens);
            say(index, part);
        }

        @Override
        public void finished(int index, Update.Finished finished) {
            ChatUpdate rest = answers.get(index).end();
            Finish finish = answers.get(index)
                    .finish(finished.generation(), model.defaults().endTokens());
            begin();
            boolean said = !rest.deltas().isEmpty();
            say(index, rest);
            send(
                    new ChatChunk.Choice(
                            index,
                            ChatChunk.Delta.NOTHING,
                            said ? null : rest.logprobs(),
                            finish.reason(),
                            finish.stopReason(),
                            said ? null : rest.tokenIds()),
                    null);
            count(index, finished);
        }

        /** Begins all answers once one does: until then the status may still change. */
        private void begin() {
            if (events.began()) {
                return;
            }
            for (int i = 0; i < answers.size(); i++) {
                send(new ChatChunk.Choice(i, ChatChunk.Delta.begin(), null, null, null, null), promptIds());
            }
        }

        /** Sends a part; log-probabilities and ids go with the first delta. */
        private void say(int index, ChatUpdate part) {
            for (int i = 0; i < part.deltas().size(); i++) {
                send(
                        new ChatChunk.Choice(
                                index,
                                ChatChunk.Delta.of(part.deltas().get(i)),
                                i == 0 ? part.logprobs() : null,
                                null,
                                null,
                                i == 0 ? part.tokenIds() : null),
                        null);
            }
        }

        private void send(ChatChunk.Choice choice, @Nullable List<Long> promptIds) {
            events.send(new ChatChunk(head.id(), CHUNK, head.created(), model.id(), List.of(choice), null, promptIds));
        }

        void end() {
            if (request.generation().usage()) {
                events.send(new ChatChunk(head.id(), CHUNK, head.created(), model.id(), List.of(), counted(), null));
            }
            events.done();
        }
    }
}
