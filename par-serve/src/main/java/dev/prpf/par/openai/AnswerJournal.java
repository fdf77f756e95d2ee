package dev.prpf.par.openai;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.LineFile;
import dev.prpf.base.json.JsonRecords;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps every answer of a model, a line each, on the disk before the answer is used. So a run that goes on pays for no answer twice, and the
 * usage is counted over all its processes. {@code {"id", "request", "text", "finish_reason", "prompt_tokens", "completion_tokens"}},
 * {@code request} the SHA-256 of the request's body; a prompt too long for the model has the finish reason {@code too_long}, another request
 * that the server refused {@code refused}, and the server's words as its text. Refusals are kept once the server has answered a request:
 * before that they may be the configuration's fault.
 */
public final class AnswerJournal implements AutoCloseable {
    private static final String TOO_LONG = "too_long";
    private static final String REFUSED = "refused";
    private static final int MOST_REFUSED = 64;
    private static final String[] OPTIONAL = {"prompt_tokens", "completion_tokens"};

    private final Path file;
    private final Map<Key, Line> known = new LinkedHashMap<>();
    private @Nullable LineFile lines;

    /** A sample's id, and the SHA-256 of a request's body. */
    private record Key(String id, String request) {}

    private record Line(
            String id,
            String request,
            String text,
            String finishReason,
            @Nullable Integer promptTokens,
            @Nullable Integer completionTokens) {
        static Line of(Key key, ChatOutcome outcome) {
            return outcome instanceof ChatOutcome.Answer answer
                    ? new Line(
                            key.id(),
                            key.request(),
                            answer.text(),
                            answer.finishReason(),
                            answer.promptTokens(),
                            answer.completionTokens())
                    : new Line(
                            key.id(),
                            key.request(),
                            ((ChatOutcome.NoAnswer) outcome).why(),
                            outcome instanceof ChatOutcome.TooLong ? TOO_LONG : REFUSED,
                            null,
                            null);
        }

        ChatOutcome outcome() {
            return switch (finishReason) {
                case TOO_LONG -> new ChatOutcome.TooLong(text);
                case REFUSED -> new ChatOutcome.Refused(text);
                default -> new ChatOutcome.Answer(text, finishReason, promptTokens, completionTokens);
            };
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
                known.put(new Key(line.id(), line.request()), line);
            });
        }
        return lines;
    }

    /**
     * One outcome a request, in order. What the journal holds is not sent again, and equal requests of one sample are sent once.
     *
     * @param answered runs once a request as soon as its outcome is there, one at a time
     * @throws dev.prpf.base.error.PrpfException as {@link ChatModel#ask}; what was answered before is in the journal. 78 where the server refuses
     *     all requests, or the first 64, and none was answered before
     */
    public List<ChatOutcome> ask(ChatModel model, List<ChatRequest> requests, Runnable answered) {
        Map<Key, ChatRequest> open = new LinkedHashMap<>();
        List<Key> order = requests.stream().map(request -> key(model, request)).toList();
        for (int i = 0; i < order.size(); i++) {
            if (find(order.get(i)) == null) {
                open.putIfAbsent(order.get(i), requests.get(i));
            } else {
                answered.run();
            }
        }
        List<Key> sent = List.copyOf(open.keySet());
        Map<Key, ChatOutcome.Refused> held = new LinkedHashMap<>();
        BiConsumer<Key, ChatOutcome> keep = (of, outcome) -> {
            add(of, outcome);
            order.stream().filter(of::equals).forEach(key -> answered.run());
        };
        model.ask(List.copyOf(open.values()), (k, outcome) -> {
            if (outcome instanceof ChatOutcome.Refused refused && !hasAnswer()) {
                held.put(sent.get(k), refused);
                requireFewer(held, MOST_REFUSED);
            } else {
                keep.accept(sent.get(k), outcome);
            }
        });
        if (!hasAnswer()) {
            requireFewer(held, 1);
        }
        held.forEach(keep);
        return order.stream().map(key -> Objects.requireNonNull(find(key))).toList();
    }

    private static void requireFewer(Map<Key, ChatOutcome.Refused> held, int number) {
        if (held.size() >= number) {
            String first = held.values().iterator().next().why();
            throw new InvalidConfigurationException(
                    held.size() + " requests were refused and none was answered, the first: " + first
                            + "; the requests are made of what the configuration has outside of its server: section (of"
                            + " max_tokens: sampling.max-tokens)");
        }
    }

    private synchronized boolean hasAnswer() {
        lines();
        return known.values().stream().anyMatch(line -> line.outcome() instanceof ChatOutcome.Answer);
    }

    private static Key key(ChatModel model, ChatRequest request) {
        return new Key(request.id(), sha256(request.identity(model.model())));
    }

    /** Whether the outcome of a request is here, so that {@link #ask} does not send it. */
    public boolean has(ChatModel model, ChatRequest request) {
        return find(key(model, request)) != null;
    }

    private synchronized @Nullable ChatOutcome find(Key key) {
        lines();
        Line line = known.get(key);
        return line == null ? null : line.outcome();
    }

    private synchronized void add(Key key, ChatOutcome outcome) {
        Line line = Line.of(key, outcome);
        lines().append(JsonRecords.write(line));
        lines().flush();
        known.put(key, line);
    }

    static String sha256(String text) {
        return AtomicFiles.sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the usage of all answers, including answers of earlier processes. */
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
