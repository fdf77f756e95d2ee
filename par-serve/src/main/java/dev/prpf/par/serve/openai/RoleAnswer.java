package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.ClientConnection;
import dev.prpf.par.serve.http.EventStream;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.openai.ChatAnswer.ChatChunk;
import dev.prpf.par.serve.openai.ChatAnswer.ChatChunk.Delta;
import dev.prpf.par.serve.openai.ChatCompletion.Usage;
import io.javalin.http.Context;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Answers one request by a role. Fields that the role does not use are ignored. */
final class RoleAnswer {
    private final Context context;
    private final ChatRole role;
    private final String id;
    private final long created = Instant.now().getEpochSecond();

    RoleAnswer(Context context, ChatRole role) {
        this.context = context;
        this.role = role;
        id = "chatcmpl-" + ApiServer.requestId(context);
    }

    void answer(RequestFields body, Runnable read) {
        List<ChatRole.Message> messages =
                body.list("messages").stream().map(RoleAnswer::message).toList();
        String caller = ApiServer.caller(context);
        JsonNode user = body.json("user");
        boolean stream = isTrue(body.json("stream"));
        JsonNode options = body.json("stream_options");
        read.run();
        long began = System.nanoTime();
        ChatRole.Reply reply = role.reply(new ChatRole.Chat(
                ApiServer.requestId(context),
                caller,
                user == null || user.asText().isBlank() ? caller : user.asText(),
                messages,
                new ClientConnection(context)::requireOpen));
        boolean usage = options != null && isTrue(options.get("include_usage"));
        Runnable send = () -> send(reply, stream, usage);
        long left = Math.round(role.seconds() * 1e9) - (System.nanoTime() - began);
        if (left <= 0) {
            send.run();
        } else {
            ApiServer.leave(context); // the wait holds no thread
            Executor later = CompletableFuture.delayedExecutor(left, TimeUnit.NANOSECONDS);
            context.future(() -> CompletableFuture.runAsync(send, later));
        }
    }

    private void send(ChatRole.Reply reply, boolean stream, boolean includesUsage) {
        Usage usage = Usage.of(reply.promptTokens(), reply.completionTokens(), 0);
        if (stream) {
            stream(reply.text(), includesUsage ? usage : null);
            return;
        }
        ChatCompletion.Message message = new ChatCompletion.Message("assistant", reply.text(), null, null, null);
        ChatCompletion.Choice choice = new ChatCompletion.Choice(0, message, null, Finish.STOP, null, null);
        ApiServer.answer(
                context,
                200,
                new ChatCompletion(id, "chat.completion", created, role.name(), List.of(choice), usage, null));
    }

    private static boolean isTrue(@Nullable JsonNode value) {
        return value != null && value.asBoolean();
    }

    private static ChatRole.Message message(JsonNode message) {
        JsonNode content = message.path("content");
        String text = content.isTextual()
                ? content.textValue()
                : content.valueStream().map(part -> part.path("text").asText()).collect(Collectors.joining("\n"));
        return new ChatRole.Message(message.path("role").asText(), text);
    }

    private void stream(String text, @Nullable Usage usage) {
        EventStream events = new EventStream(context);
        events.send(chunk(Delta.begin(), null));
        events.send(chunk(new Delta(null, text, null, null), null));
        events.send(chunk(Delta.NOTHING, Finish.STOP));
        if (usage != null) {
            events.send(chunk(List.of(), usage));
        }
        events.done();
    }

    private ChatChunk chunk(Delta delta, @Nullable String finish) {
        return chunk(List.of(new ChatChunk.Choice(0, delta, null, finish, null, null)), null);
    }

    private ChatChunk chunk(List<ChatChunk.Choice> choices, @Nullable Usage usage) {
        return new ChatChunk(id, "chat.completion.chunk", created, role.name(), choices, usage, null);
    }
}
