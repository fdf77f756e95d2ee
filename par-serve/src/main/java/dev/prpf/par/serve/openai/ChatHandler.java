package dev.prpf.par.serve.openai;

import dev.prpf.par.constraint.JsonSchemaConstraints.Compiled;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.ResponseText;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.serve.generation.GenerationStream;
import dev.prpf.par.serve.generation.GenerationStream.Update;
import dev.prpf.par.serve.generation.ServedModel;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.ClientConnection;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.openai.ChatAnswer.ChatChunk;
import dev.prpf.par.serve.openai.ChatCompletion.ChatLogprobs;
import dev.prpf.par.serve.openai.ChatCompletion.ToolCall;
import dev.prpf.par.serve.openai.ChatCompletion.Usage;
import io.javalin.http.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Handles requests for {@code POST /v1/chat/completions}. */
record ChatHandler(ServedModel model, TokenTexts texts, AnswerForms forms, HttpSettings limits) {
    /** @param body of the request; every known field has been read when this returns or throws */
    void answer(Context context, RequestFields body, Runnable read) {
        ChatCompletionRequest request = ApiServer.read(context, () -> ChatCompletionRequest.of(body, model, limits));
        String limited = body.json("max_completion_tokens") == null ? "max_tokens" : "max_completion_tokens";
        long[] prompt = request.prompt().ids();
        int room = GenerationFields.room(model, prompt.length, request.maxTokens(), "messages", limited);
        SamplingParams params = request.generation().params(room, request.top(), false);
        Runnable waiting = new ClientConnection(context)::requireOpen;
        String caller = ApiServer.caller(context);
        Compiled constraint = request.isFree()
                ? null
                : ApiServer.compute(context, waiting, () -> forms.constraint(caller, request, room, ends(params)));
        read.run();
        Prompt seen = model.see(request.prompt(), caller, waiting);
        List<GenerationRequest> generations = new GenerationRequest(
                        seen, params, request.generation().seed(), constraint, caller)
                .samples(request.generation().n());
        Answers answers = new Answers(context, request);
        for (int i = 0; i < generations.size(); i++) {
            ResponseText text = new ResponseText(
                    params, request.generation().view().text(model.chat().tokenizer()), prompt);
            answers.answers.add(new ChatAnswer(i, text, forms.reader(request), request, texts));
            answers.messages.add(new ChatMessageBuilder());
        }
        List<GenerationStream> streams = model.service().submit(generations);
        answers.run(streams);
    }

    /** Returns whether the model's first end token ends an answer at any position. */
    private boolean ends(SamplingParams params) {
        return params.changes().minNewTokens() == 0
                && model.defaults().endTokens().stream()
                        .limit(1)
                        .allMatch(params.ending().tokens()::contains);
    }

    private final class Answers extends AnswerLoop<ChatChunk.Choice> {
        private final ChatCompletionRequest request;
        private final List<ChatAnswer> answers = new ArrayList<>();
        private final List<ChatMessageBuilder> messages = new ArrayList<>();
        private final String id;

        Answers(Context context, ChatCompletionRequest request) {
            super(context, request.generation());
            this.request = request;
            id = "chatcmpl-" + ApiServer.requestId(context);
        }

        @Override
        List<ChatChunk.Choice> tokens(int index, Update.Tokens tokens) {
            begin();
            return answers.get(index).add(tokens);
        }

        @Override
        List<ChatChunk.Choice> finished(int index, Update.Finished finished) {
            List<ChatChunk.Choice> rest = answers.get(index)
                    .end(finished.generation(), model.defaults().endTokens());
            begin();
            return rest;
        }

        /** Begins all events once one does: until then the status may still change. */
        private void begin() {
            if (!request.generation().stream() || events.began()) {
                return;
            }
            for (int i = 0; i < answers.size(); i++) {
                events.send(chunk(
                        List.of(new ChatChunk.Choice(i, ChatChunk.Delta.begin(), null, null, null, null)),
                        null,
                        promptIds()));
            }
        }

        @Override
        void collect(ChatChunk.Choice choice) {
            messages.get(choice.index()).add(choice);
        }

        @Override
        Object event(List<ChatChunk.Choice> choices, @Nullable Usage usage) {
            return chunk(choices, usage, null);
        }

        private ChatChunk chunk(List<ChatChunk.Choice> choices, @Nullable Usage usage, @Nullable List<Long> promptIds) {
            return new ChatChunk(id, "chat.completion.chunk", created, model.id(), choices, usage, promptIds);
        }

        private @Nullable List<Long> promptIds() {
            return request.generation().view().tokenIds()
                    ? ChatAnswer.list(request.prompt().ids())
                    : null;
        }

        @Override
        Object whole(Usage usage) {
            List<ChatCompletion.Choice> choices =
                    messages.stream().map(message -> message.choice(request)).toList();
            return new ChatCompletion(id, "chat.completion", created, model.id(), choices, usage, promptIds());
        }

        @Override
        int promptTokens() {
            return request.prompt().ids().length;
        }
    }

    /** Joins the events of one chat answer to its complete message. */
    static final class ChatMessageBuilder {
        private final StringBuilder content = new StringBuilder();
        private final StringBuilder reasoning = new StringBuilder();
        private final Map<Integer, ToolCall> calls = new TreeMap<>();
        private final List<ChatLogprobs.Entry> entries = new ArrayList<>();
        private final List<Long> ids = new ArrayList<>();
        private ChatChunk.@Nullable Choice last;

        void add(ChatChunk.Choice part) {
            content.append(Objects.requireNonNullElse(part.delta().content(), ""));
            reasoning.append(Objects.requireNonNullElse(part.delta().reasoning(), ""));
            for (ToolCall call : Objects.requireNonNullElse(part.delta().toolCalls(), List.<ToolCall>of())) {
                calls.merge(Objects.requireNonNull(call.index()), call, ToolCall::plus);
            }
            if (part.logprobs() != null) {
                entries.addAll(part.logprobs().content());
            }
            if (part.tokenIds() != null) {
                ids.addAll(part.tokenIds());
            }
            last = part;
        }

        /** Returns the answer, after its last event. */
        ChatCompletion.Choice choice(ChatCompletionRequest request) {
            ChatChunk.Choice end = Objects.requireNonNull(last);
            return new ChatCompletion.Choice(
                    end.index(),
                    message(),
                    request.top() == null ? null : new ChatLogprobs(entries),
                    Objects.requireNonNull(end.finishReason()),
                    end.stopReason(),
                    request.generation().view().tokenIds() ? ids : null);
        }

        private ChatCompletion.Message message() {
            List<ToolCall> made = calls.values().stream()
                    .map(call -> new ToolCall(null, call.id(), call.type(), call.function()))
                    .toList();
            return new ChatCompletion.Message(
                    "assistant",
                    content.isEmpty() && !made.isEmpty() ? null : content.toString(),
                    null,
                    reasoning.isEmpty() ? null : reasoning.toString(),
                    made.isEmpty() ? null : made);
        }
    }
}
