package dev.prpf.par.openai;

import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.LineFile;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes every answer of a model to the disk, one line each, before it is used. So a resumed run pays for no answer twice, and usage is
 * counted over all its processes. A line is {@code {"id", "request", "text", "finish_reason", "prompt_tokens", "completion_tokens"}}; {@code
 * request} is the SHA-256 of the request's body. For a prompt too long for the model the finish reason is {@code too_long}, for other
 * rejected requests {@code refused}, and the text is the server's message. Rejections are written only after a first answer, since before
 * they may be caused by the configuration.
 */
public final class AnswerJournal implements AutoCloseable {
    private static final String TOO_LONG = "too_long";
    private static final String REFUSED = "refused";
    private static final int MAX_REFUSED = 64;

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
            if (outcome instanceof ChatOutcome.NoAnswer none) {
                String finish = outcome instanceof ChatOutcome.TooLong ? TOO_LONG : REFUSED;
                return new Line(key.id, key.request, none.why(), finish, null, null);
            }
            ChatOutcome.Answer said = (ChatOutcome.Answer) outcome;
            return new Line(
                    key.id,
                    key.request,
                    said.text(),
                    said.finishReason(),
                    said.promptTokens(),
                    said.completionTokens());
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
     * Makes a journal in a file, which may exist and is opened on first use. Methods then throw 65 for a complete line that is not an answer,
     * 69 if the file cannot be written.
     */
    public AnswerJournal(Path file) {
        this.file = file;
    }

    private LineFile lines() {
        if (lines == null) {
            lines = LineFile.open(file, (number, text) -> {
                Line line = JsonRecords.read(file + ":" + number, "answer", text, Line.class);
                known.put(new Key(line.id(), line.request()), line);
            });
        }
        return lines;
    }

    /**
     * Returns one outcome for each request, in order. Requests with an outcome in the journal are not sent, and equal requests of a sample
     * are sent once.
     *
     * @param answered runs once for each request when its outcome is known, one at a time
     * @throws dev.prpf.base.error.PrpfException see {@link ChatModel#ask}; earlier answers are in the journal. 78 if the server rejects all
     *     requests, or the first 64, without any answer
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
                requireFewer(held, MAX_REFUSED);
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
                            + "; check the configuration outside of its server: section (for max_tokens:"
                            + " sampling.max-tokens)");
        }
    }

    private synchronized boolean hasAnswer() {
        lines();
        return known.values().stream().anyMatch(line -> line.outcome() instanceof ChatOutcome.Answer);
    }

    private static Key key(ChatModel model, ChatRequest request) {
        return new Key(request.id(), sha256(request.identity(model.model())));
    }

    /** Returns whether the journal has the outcome of a request, so that {@link #ask} does not send it. */
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
