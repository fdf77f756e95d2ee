package dev.prpf.par.openai;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.LineFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Every answer a server gave, a line each, on the disk before anything is made of it: a run that goes on asks and pays for nothing twice, and
 * what was used is counted over all its processes. {@code {"id", "request", "text", "finish_reason", "prompt_tokens", "completion_tokens"}},
 * {@code request} the SHA-256 of what was asked; a prompt too long for the model has the finish reason {@code too_long} and the server's
 * words as its text.
 */
public final class AnswerJournal implements AutoCloseable {
    private static final String TOO_LONG = "too_long";
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final Path file;
    private final Map<String, Line> known = new LinkedHashMap<>();
    private @Nullable LineFile lines;

    /** One answer. */
    private record Line(
            @JsonProperty(value = "id", required = true) String id,
            @JsonProperty(value = "request", required = true) String request,
            @JsonProperty(value = "text", required = true) String text,
            @JsonProperty(value = "finish_reason", required = true) String finishReason,
            @JsonProperty("prompt_tokens") @Nullable Integer promptTokens,
            @JsonProperty("completion_tokens") @Nullable Integer completionTokens) {

        String key() {
            return id + " " + request;
        }

        ChatOutcome outcome() {
            return finishReason.equals(TOO_LONG)
                    ? new ChatOutcome.TooLong(text)
                    : new ChatOutcome.Answer(text, finishReason, promptTokens, completionTokens);
        }
    }

    /**
     * The journal in a file, which may exist. It is opened when it is first used; all that uses it throws 65 for a whole line that is no
     * answer, 69 if the file cannot be written.
     */
    public AnswerJournal(Path file) {
        this.file = file;
    }

    private LineFile lines() {
        if (lines == null) {
            lines = LineFile.open(file, this::read);
        }
        return lines;
    }

    private void read(int number, String text) {
        try {
            Line line = JSON.readValue(text, Line.class);
            known.put(line.key(), line);
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(file + ":" + number + ": is no answer: " + e.getOriginalMessage(), e);
        }
    }

    /** The answer that was given to this request, or null. */
    synchronized @Nullable ChatOutcome find(String id, String body) {
        lines();
        Line line = known.get(key(id, body));
        return line == null ? null : line.outcome();
    }

    /** Keeps an answer. */
    synchronized void add(String id, String body, ChatOutcome outcome) {
        Line line;
        if (outcome instanceof ChatOutcome.Answer answer) {
            line = new Line(
                    id,
                    sum(body),
                    answer.text(),
                    answer.finishReason(),
                    answer.promptTokens(),
                    answer.completionTokens());
        } else {
            line = new Line(id, sum(body), ((ChatOutcome.TooLong) outcome).why(), TOO_LONG, null, null);
        }
        lines();
        known.put(line.key(), line);
        try {
            lines().append(JSON.writeValueAsString(line));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer that is not JSON: " + line, e);
        }
        lines().flush();
    }

    private static String key(String id, String body) {
        return id + " " + sum(body);
    }

    private static String sum(String body) {
        return AtomicFiles.sha256(body.getBytes(StandardCharsets.UTF_8));
    }

    /** What all answers used, those of earlier processes among them. */
    public synchronized RemoteUsage usage(@Nullable TokenPrice price) {
        lines();
        return RemoteUsage.of(known.values().stream().map(Line::outcome).toList(), price);
    }

    @Override
    public synchronized void close() {
        if (lines != null) {
            lines.close();
        }
    }
}
