package dev.prpf.par.openai;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.http.Retrier;
import dev.prpf.base.http.TimedExchange;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.CompletionRequest.Continuation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
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
import java.util.function.ObjIntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Client of one model on one server or several replicas. Sends several requests in parallel, with retries. */
public final class ChatClient implements ChatModel {
    private static final Logger LOG = LoggerFactory.getLogger(ChatClient.class);
    private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
    private static final long POLL_MS = 200;
    private static final ChatErrors.Sent MODELS_REQUEST = new ChatErrors.Sent("the request for its models", 0);
    private static final Set<Integer> NO_LIST = Set.of(404, 405, 501);

    private final String model;
    private final ServerSettings settings;
    private final @Nullable String key;
    private final BooleanSupplier stopped;
    private final Retrier retrier;
    private final ChatErrors errors;
    private final Replicas replicas;
    private final HttpClient http;
    private final ExecutorService workers;

    /**
     * The waiting rules of a client.
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

    private record Came<A>(int index, A answer) {}

    /**
     * Makes a client of one model.
     *
     * @param environment environment variables, for the API key
     * @param stopped polled while waiting; true ends the running requests with 75
     * @throws PrpfException 69 if the key's variable is not set
     */
    public ChatClient(ServerSettings settings, String model, Map<String, String> environment, BooleanSupplier stopped) {
        this(settings, model, environment, stopped, Pace.of(settings));
    }

    ChatClient(
            ServerSettings settings,
            String model,
            Map<String, String> environment,
            BooleanSupplier stopped,
            Pace pace) {
        this.model = model;
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

    @Override
    public String model() {
        return model;
    }

    /**
     * Passes one outcome for each request to the listener. The first failure cancels the running requests.
     *
     * @throws PrpfException 69 if no server answers, or one rejects the key or lacks the model. 78 if a replica has other models or the model
     *     takes no images. 75 when stopped
     */
    @Override
    public void ask(List<ChatRequest> requests, Listener listener) {
        askAll(
                requests.stream()
                        .map(request -> new ChatCall(request, model, false))
                        .toList(),
                (outcome, index) -> listener.came(index, outcome));
    }

    /**
     * Returns the continuations of each token prompt, in order. Servers must return ids and log-probabilities of tokens: vLLM from 0.10.2 on
     * ({@code return_token_ids}) and {@code prpf serve}.
     *
     * @throws PrpfException as {@link #ask}. Also 78 if a prompt does not fit the server's context, or a server returns no ids or another prompt
     */
    public List<List<Continuation>> complete(List<CompletionRequest> requests) {
        List<List<Continuation>> answers = new ArrayList<>(Collections.nCopies(requests.size(), List.of()));
        askAll(
                requests.stream().map(request -> request.call(model)).toList(),
                (answer, index) -> answers.set(index, answer));
        return List.copyOf(answers);
    }

    private <A> void askAll(List<? extends Call<A>> calls, ObjIntConsumer<A> listener) {
        CompletionService<Came<A>> done = new ExecutorCompletionService<>(workers);
        List<Future<Came<A>>> running = IntStream.range(0, calls.size())
                .mapToObj(index -> done.submit(() -> new Came<>(index, answer(calls.get(index)))))
                .toList();
        try {
            for (int n = 0; n < calls.size(); n++) {
                Came<A> came = next(done);
                listener.accept(came.answer(), came.index());
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

    /**
     * Requests one answer on the calling thread and passes its text on as it arrives. Each server that is due gets the request at most once,
     * within {@code request-timeout} in all, and none after the first text.
     *
     * @throws IOException if no server gives a whole answer
     * @throws PrpfException 69 if a server rejects the key or lacks the model. 78 if a replica has other models or the model takes no images
     */
    public ChatOutcome stream(ChatRequest request, Progress progress) throws IOException {
        ChatCall call = new ChatCall(request, model, true);
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
                    return refusal == null ? stream.answer() : refusal;
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

    /** Returns whether {@link #stream} failed because a server that was reached did not end its answer in time. */
    public static boolean isLate(IOException failure) {
        return failure instanceof HttpTimeoutException && !(failure instanceof HttpConnectTimeoutException);
    }

    /**
     * Checks that the servers are up and have the model. A server that is down is only logged.
     *
     * @throws PrpfException as {@link #ask}
     */
    public void check() {
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

    private record ChatCall(ChatRequest request, String model, boolean streamed) implements Call<ChatOutcome> {
        @Override
        public String path() {
            return "/chat/completions";
        }

        @Override
        public String name() {
            return request.name();
        }

        /** Makes the body when it is sent, so that memory holds only the images of running requests. */
        @Override
        public String body() {
            return (streamed ? request.streamedBody(model) : request.body(model)).toString();
        }

        @Override
        public int images() {
            return request.images();
        }

        @Override
        public ChatOutcome read(byte[] said) throws IOException {
            return ChatJson.answer(name(), said);
        }

        @Override
        public ChatOutcome refused(ChatOutcome.NoAnswer refusal) {
            return refusal;
        }
    }

    /** Returns an answer; warns about an empty one, which a reasoning parser may have taken for reasoning. */
    static ChatOutcome.Answer warned(String name, ChatOutcome.Answer answer, boolean reasoned) {
        if (answer.text().isBlank()) {
            LOG.warn(
                    reasoned
                            ? "{}: the server took the whole answer for reasoning, its text is empty; turn thinking off"
                                    + " (extra-body: {chat_template_kwargs: {enable_thinking: false}}), or start the"
                                    + " server without a reasoning parser"
                            : "{}: the server's answer is empty",
                    name);
        }
        return answer;
    }

    /** Cancels the running requests. */
    @Override
    public void close() {
        workers.shutdownNow();
    }
}
