package dev.prpf.par.openai;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.RunInterruptedException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.http.Retrier;
import dev.prpf.base.http.TimedExchange;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks one model of one server. Several requests at a time, each tried again while that may help. */
public final class ChatClient implements ChatModel {
    private static final Logger LOG = LoggerFactory.getLogger(ChatClient.class);
    private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
    private static final long LOOK_MS = 200;

    private final ServerSettings settings;
    private final String model;
    private final @Nullable String key;
    private final BooleanSupplier stopped;
    private final Retrier retrier;
    private final ChatErrors errors;
    private final HttpClient http;
    private final ExecutorService workers;

    /**
     * A client.
     *
     * @param environment where the API key stands
     * @param stopped polled while waiting; true ends the requests under way with 75
     * @throws PrpfException 69 if the variable that should hold the key is not set
     */
    public ChatClient(ServerSettings settings, String model, Map<String, String> environment, BooleanSupplier stopped) {
        this(
                settings,
                model,
                environment,
                stopped,
                new Retrier(new Retrier.Policy(
                        settings.retries(), FIRST_WAIT, Duration.ofSeconds(settings.longestWait()))));
    }

    ChatClient(
            ServerSettings settings,
            String model,
            Map<String, String> environment,
            BooleanSupplier stopped,
            Retrier retrier) {
        this.settings = settings;
        this.model = model;
        this.key = key(settings, environment);
        this.stopped = stopped;
        this.retrier = retrier;
        this.errors = new ChatErrors(settings, model);
        this.http = TimedExchange.client(Duration.ofSeconds(settings.connectTimeout()));
        this.workers = Executors.newFixedThreadPool(settings.concurrency());
    }

    private static @Nullable String key(ServerSettings settings, Map<String, String> environment) {
        if (settings.apiKeyVariable() == null) {
            return null;
        }
        String key = environment.getOrDefault(settings.apiKeyVariable(), "").strip();
        if (key.isEmpty() || !key.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            // A name that no variable has may be the key itself, so it is not shown.
            String named = key.isEmpty()
                    ? "server.api-key-variable names an environment variable that is not set (it is the variable's name,"
                            + " not the key)"
                    : "the environment variable " + settings.apiKeyVariable()
                            + " (server.api-key-variable) holds no key";
            throw new UnavailableException(
                    named + "; set the variable to the server's API key, or the setting to null where it needs none");
        }
        return key;
    }

    @Override
    public String model() {
        return model;
    }

    /**
     * Tells the listener one outcome a request. The first failure cancels the others that are under way.
     *
     * @throws PrpfException 69 where the server does not answer, refuses the key or has not the model, 78 where it refuses the request, 75
     *     when stopped
     */
    @Override
    public void ask(List<ChatRequest> requests, Listener listener) {
        CompletionService<Came> done = new ExecutorCompletionService<>(workers);
        List<Future<Came>> under = IntStream.range(0, requests.size())
                .mapToObj(index -> done.submit(() -> new Came(index, ask(requests.get(index)))))
                .toList();
        try {
            for (int n = 0; n < requests.size(); n++) {
                Came came = next(done);
                listener.came(came.index(), came.outcome());
            }
        } finally {
            under.forEach(future -> future.cancel(true));
        }
    }

    private record Came(int index, ChatOutcome outcome) {}

    private Came next(CompletionService<Came> done) {
        try {
            while (true) {
                Future<Came> future = done.poll(LOOK_MS, TimeUnit.MILLISECONDS);
                if (future != null) {
                    return future.get();
                }
                if (stopped.getAsBoolean()) {
                    throw new RunInterruptedException(
                            "stopped by a signal; what was answered so far is kept: run the same command again to go"
                                    + " on");
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException("a request failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + settings.baseUrl() + " answers", e);
        }
    }

    private ChatOutcome ask(ChatRequest request) throws InterruptedException {
        byte[] body = request.body(model).toString().getBytes(StandardCharsets.UTF_8);
        HttpRequest post = to("/chat/completions")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        try {
            return retrier.run(() -> {
                HttpResponse<byte[]> response = send(post);
                ChatOutcome refused = errors.judge(response, request.name(), this::known);
                return refused == null ? answer(request, response.body()) : refused;
            });
        } catch (IOException e) {
            throw errors.unreachable(request.name(), e);
        }
    }

    /** A server that takes thoughts out of an answer may take it for one thought. */
    private static ChatOutcome.Answer answer(ChatRequest request, byte[] body) throws IOException {
        ChatOutcome.Answer answer = ChatJson.answer(body);
        if (answer.text().isBlank() && ChatJson.hasReasoning(body)) {
            LOG.warn(
                    "{}: the server took the whole answer for reasoning, its text is empty; ask without thinking"
                            + " (extra-body: {chat_template_kwargs: {enable_thinking: false}}), or start the server"
                            + " without a reasoning parser",
                    request.name());
        }
        return answer;
    }

    /** The models the server says it has; null where it does not say. */
    private @Nullable String known() {
        try {
            HttpResponse<byte[]> response = send(to("/models").GET().build());
            errors.judge(response, "the question for its models", () -> null);
            return ChatJson.models(response.body()).toString();
        } catch (IOException | PrpfException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + settings.baseUrl() + " answers", e);
        }
    }

    private HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
        return TimedExchange.send(http, request, Duration.ofSeconds(settings.requestTimeout()));
    }

    private HttpRequest.Builder to(String path) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(settings.baseUrl() + path))
                .header("Accept", "application/json")
                .header("User-Agent", "prpf");
        if (key != null) {
            builder.header("Authorization", "Bearer " + key);
        }
        return builder;
    }

    /** Cancels the requests under way. */
    @Override
    public void close() {
        workers.shutdownNow();
    }
}
