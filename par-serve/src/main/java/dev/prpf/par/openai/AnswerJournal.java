package dev.prpf.par.openai;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.LineFile;
import dev.prpf.base.json.JsonRecords;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps every answer of a server, a line each, on the disk before the answer is used. So a run that goes on pays for no answer twice, and the
 * usage is counted over all its processes. {@code {"id", "request", "text", "finish_reason", "prompt_tokens", "completion_tokens"}},
 * {@code request} the SHA-256 of the request's body; a prompt too long for the model has the finish reason {@code too_long} and the server's
 * words as its text.
 */
public final class AnswerJournal implements AutoCloseable {
    private static final String TOO_LONG = "too_long";
    private static final String[] OPTIONAL = {"prompt_tokens", "completion_tokens"};

    private final Path file;
    private final Map<String, Line> known = new LinkedHashMap<>();
    private @Nullable LineFile lines;

    private record Line(
            String id,
            String request,
            String text,
            String finishReason,
            @Nullable Integer promptTokens,
            @Nullable Integer completionTokens) {
        static Line of(String id, String request, ChatOutcome outcome) {
            return outcome instanceof ChatOutcome.Answer answer
                    ? new Line(
                            id,
                            request,
                            answer.text(),
                            answer.finishReason(),
                            answer.promptTokens(),
                            answer.completionTokens())
                    : new Line(id, request, ((ChatOutcome.TooLong) outcome).why(), TOO_LONG, null, null);
        }

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
            lines = LineFile.open(file, (number, text) -> {
                Line line = JsonRecords.read(file + ":" + number, "answer", text, Line.class, OPTIONAL);
                known.put(line.key(), line);
            });
        }
        return lines;
    }

    /** The answer that was given to this request, or null. */
    synchronized @Nullable ChatOutcome find(String id, String body) {
        lines();
        Line line = known.get(id + " " + sha256(body));
        return line == null ? null : line.outcome();
    }

    synchronized void add(String id, String body, ChatOutcome outcome) {
        Line line = Line.of(id, sha256(body), outcome);
        lines().append(JsonRecords.write(line));
        lines().flush();
        known.put(line.key(), line);
    }

    static String sha256(String body) {
        return AtomicFiles.sha256(body.getBytes(StandardCharsets.UTF_8));
    }

    /** What all answers used, those of earlier processes among them. */
    public synchronized RemoteUsage usage(RemoteUsage.@Nullable TokenPrice price) {
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
