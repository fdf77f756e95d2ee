package dev.prpf.par.openai;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.http.TimedExchange;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads the server-sent events of one answer; reads the whole answer of a server that does not stream. */
final class ChatStream implements TimedExchange.Receiver {
    private final String name;
    private final ChatModel.Progress progress;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final ByteArrayOutputStream plain = new ByteArrayOutputStream();
    private final StringBuilder text = new StringBuilder();
    private @Nullable String finish;
    private @Nullable Integer promptTokens;
    private @Nullable Integer completionTokens;
    private boolean reasoned;
    private boolean done;

    /** @param name of the request, for messages */
    ChatStream(String name, ChatModel.Progress progress) {
        this.name = name;
        this.progress = progress;
    }

    /** Returns whether text was passed on, so that another server cannot take over. */
    boolean began() {
        return !text.isEmpty();
    }

    @Override
    public boolean received(byte[] piece) throws IOException {
        for (int i = 0; i < piece.length && !done; i++) {
            if (piece[i] == '\n') {
                endLine();
            } else {
                line.write(piece[i]);
            }
        }
        return !done;
    }

    @Override
    public void waiting() {
        progress.waiting();
    }

    private void endLine() throws IOException {
        String read = line.toString(StandardCharsets.UTF_8).strip();
        line.reset();
        String data =
                read.startsWith("data:") ? read.substring("data:".length()).strip() : null;
        if (data == null) {
            if (!read.isEmpty() && !read.matches("(event|id|retry)?:.*")) {
                plain.writeBytes(read.getBytes(StandardCharsets.UTF_8));
            }
        } else if (data.equals("[DONE]")) {
            done = true;
        } else {
            event(data.getBytes(StandardCharsets.UTF_8));
        }
    }

    private void event(byte[] data) throws IOException {
        JsonNode chunk = ChatJson.parse(data);
        if (chunk.path("object").asText().equals("error") || chunk.hasNonNull("error")) {
            throw new IOException("the server ended its answer with the error " + ChatJson.error(data));
        }
        JsonNode usage = chunk.path("usage");
        if (usage.isObject()) {
            promptTokens = ChatJson.count(usage.path("prompt_tokens"));
            completionTokens = ChatJson.count(usage.path("completion_tokens"));
        }
        JsonNode choice = chunk.path("choices").path(0);
        JsonNode delta = choice.path("delta");
        reasoned |= ChatJson.hasReasoning(delta);
        finish = choice.path("finish_reason").asText(finish);
        write(delta.path("content").asText(""));
    }

    private void write(String gained) {
        if (!gained.isEmpty()) {
            text.append(gained);
            progress.wrote(gained);
        }
    }

    /**
     * Returns the answer after the end of the body.
     *
     * @throws IOException if the body has no answer, or ended too early
     */
    ChatOutcome.Answer answer() throws IOException {
        endLine();
        if (plain.size() > 0 && !began()) {
            ChatOutcome.Answer whole = ChatJson.answer(name, plain.toByteArray());
            write(whole.text());
            return whole;
        }
        if (finish == null && !done) {
            throw new EOFException("the answer has no finish_reason");
        }
        String why = finish == null ? "unknown" : finish;
        return ChatClient.warned(
                name, new ChatOutcome.Answer(text.toString(), why, promptTokens, completionTokens), reasoned);
    }
}
