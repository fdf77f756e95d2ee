package dev.prpf.par.openai;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.http.Retrier;
import dev.prpf.base.http.TimedExchange;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends requests to the servers of one model in parallel, with retries; the base of all clients. */
final class ServerPool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerPool.class);
    private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
    private static final long POLL_MS = 200;
    private static final ChatErrors.Sent MODELS_REQUEST = new ChatErrors.Sent("the request for its models", 0);
    private static final Set<Integer> NO_LIST = Set.of(404, 405, 501);

    private final ServerSettings settings;
    private final @Nullable String key;
    private final BooleanSupplier stopped;
    private final Retrier retrier;
    private final ChatErrors errors;
    private final Replicas replicas;
    private final HttpClient http;
    private final ExecutorService workers;

    /**
     * The waiting rules of a pool.
     *
     * @param policy waits between attempts, and for failed servers
     * @param retrier that follows the policy
     * @param nanos a clock like {@link System#nanoTime}
     */
    record Pace(Retrier.Policy policy, Retrier retrier, LongSupplier nanos) {
        static Pace of(ServerSettings settings) {
            Retrier.Policy policy =
                    new Retrier.Policy(settings.retries(), FIRST_WAIT, Duration.ofSeconds(settings.longestWait()));
            return new Pace(policy, new Retrier(policy), System::nanoTime);
        }
    }

    /** A request to any of the servers. */
    interface Call<A> {
        /** Returns the path after a server's URL. */
        String path();

        /** Returns the name in messages. */
        String name();

        /** Returns the body, in JSON. */
        String body();

        default int images() {
            return 0;
        }

        /** Reads an answer; throws {@link IOException} if the body is not an answer, so that the request is retried. */
        A read(byte[] body) throws IOException;

        /** Returns the result of a request that the server rejected. */
        A refused(ChatOutcome.NoAnswer refusal);
    }

    /** Receives answers as they arrive, one at a time. */
    @FunctionalInterface
    interface Listener<A> {
        void came(int index, A answer);
    }

    private record Came<A>(int index, A answer) {}

    /** @throws PrpfException 69 if the key's variable is not set */
    ServerPool(
            ServerSettings settings,
            String model,
            Map<String, String> environment,
            BooleanSupplier stopped,
            Pace pace) {
        this.settings = settings;
        this.key = key(settings, environment);
        this.stopped = stopped;
        this.retrier = pace.retrier();
        this.errors = new ChatErrors(settings, model);
        this.replicas = new Replicas(settings.urls(), pace.policy(), this::check, pace.nanos());
        this.http = TimedExchange.client(Duration.ofSeconds(settings.connectTimeout()));
        this.workers = Executors.newFixedThreadPool(settings.concurrency());
    }

    private static @Nullable String key(ServerSettings settings, Map<String, String> environment) {
        if (settings.apiKeyVariable() == null) {
            return null;
        }
        String key = environment.getOrDefault(settings.apiKeyVariable(), "").strip();
        if (key.isEmpty() || !key.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            // The name of an unset variable may be the key itself, so it is not shown.
            String named = key.isEmpty()
                    ? "server.api-key-variable names an environment variable that is not set (it is the variable's name,"
                            + " not the key)"
                    : "the environment variable " + settings.apiKeyVariable()
                            + " (server.api-key-variable) holds no key";
            throw new UnavailableException(
                    named + "; set the variable to the server's API key, or the setting to null if it needs none");
        }
        return key;
    }

    /**
     * Passes one answer for each request to the listener. The first failure cancels the running requests.
     *
     * @throws PrpfException 69 if no server answers, or one rejects the key or lacks the model. 78 if it rejects the request or a replica has
     *     other models. 75 when stopped
     */
    <A> void ask(List<? extends Call<A>> calls, Listener<A> listener) {
        CompletionService<Came<A>> done = new ExecutorCompletionService<>(workers);
        List<Future<Came<A>>> running = IntStream.range(0, calls.size())
                .mapToObj(index -> done.submit(() -> new Came<>(index, answer(calls.get(index)))))
                .toList();
        try {
            for (int n = 0; n < calls.size(); n++) {
                Came<A> came = next(done);
                listener.came(came.index(), came.answer());
            }
        } finally {
            running.forEach(future -> future.cancel(true));
        }
    }

    private <A> Came<A> next(CompletionService<Came<A>> done) {
        try {
            while (true) {
                Future<Came<A>> future = done.poll(POLL_MS, TimeUnit.MILLISECONDS);
                if (future != null) {
                    return future.get();
                }
                if (stopped.getAsBoolean()) {
                    throw new RunInterruptedException(
                            "stopped by a signal; the answers so far are saved: run the same command again to"
                                    + " resume");
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException("a request failed", e.getCause());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while waiting for " + settings.urls(), e);
    }

    private <A> A answer(Call<A> call) throws InterruptedException {
        byte[] body = call.body().getBytes(StandardCharsets.UTF_8);
        ChatErrors.Sent sent = new ChatErrors.Sent(call.name(), call.images());
        try {
            return retrier.run(() -> replicas.ask(url -> {
                HttpResponse<byte[]> response = send(post(url, call, body), settings.requestTimeout());
                ChatOutcome.NoAnswer refusal = errors.judge(url, response, sent, () -> models(url));
                return refusal == null ? call.read(response.body()) : call.refused(refusal);
            }));
        } catch (IOException e) {
            throw errors.unreachable(call.name(), e);
        }
    }

    private HttpRequest post(String url, Call<?> call, byte[] body) {
        return to(url + call.path())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
    }

    /** Sends one request and passes its answer on, as {@link ChatClient#stream}. */
    ChatOutcome stream(Call<ChatOutcome> call, ChatModel.Progress progress) throws IOException {
        byte[] body = call.body().getBytes(StandardCharsets.UTF_8);
        ChatErrors.Sent sent = new ChatErrors.Sent(call.name(), call.images());
        long end = System.nanoTime()
                + Duration.ofSeconds(settings.requestTimeout()).toNanos();
        try {
            return replicas.ask(url -> {
                ChatStream stream = new ChatStream(call.name(), progress);
                Duration left = Duration.ofNanos(end - System.nanoTime());
                try {
                    HttpResponse<byte[]> response = TimedExchange.stream(http, post(url, call, body), left, stream);
                    ChatOutcome.NoAnswer refusal =
                            response == null ? null : errors.judge(url, response, sent, () -> models(url));
                    return refusal == null ? stream.answer() : call.refused(refusal);
                } catch (IOException e) {
                    if (stream.began() || System.nanoTime() - end >= 0) { // no other server may start over
                        throw new UncheckedIOException(e);
                    }
                    throw e;
                }
            });
        } catch (UncheckedIOException e) {
            throw Objects.requireNonNull(e.getCause());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Checks all servers; one that is down is logged. */
    void checkAll() {
        for (String url : settings.urls()) {
            try {
                check(url);
            } catch (IOException e) {
                LOG.warn("{} does not answer: {}", url, Retrier.reason(e));
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }
    }

    /** Checks that a replica is up and has the model; a server without a list of models is accepted. */
    private String check(String url) throws IOException, InterruptedException {
        HttpResponse<byte[]> response = send(to(url + "/models").GET().build(), settings.connectTimeout());
        if (!NO_LIST.contains(response.statusCode())) {
            ChatOutcome.NoAnswer refusal = errors.judge(url, response, MODELS_REQUEST, () -> null);
            if (refusal != null) {
                throw new UnavailableException(
                        refusal.why() + "; is that an OpenAI-compatible server's URL, with /v1?");
            }
            errors.requireModel(url, ChatJson.models(response.body()));
        }
        return url;
    }

    /** Returns the server's list of models; null without a list. */
    private @Nullable String models(String url) {
        try {
            HttpResponse<byte[]> response = send(to(url + "/models").GET().build(), settings.requestTimeout());
            errors.judge(url, response, MODELS_REQUEST, () -> null);
            return ChatJson.models(response.body()).toString();
        } catch (IOException | PrpfException e) {
            return null;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private HttpResponse<byte[]> send(HttpRequest request, int seconds) throws IOException, InterruptedException {
        return TimedExchange.send(http, request, Duration.ofSeconds(seconds));
    }

    private HttpRequest.Builder to(String address) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(address))
                .header("Accept", "application/json")
                .header("User-Agent", "prpf");
        if (key != null) {
            builder.header("Authorization", "Bearer " + key);
        }
        return builder;
    }

    /** Cancels the running requests. */
    @Override
    public void close() {
        workers.shutdownNow();
    }
}
