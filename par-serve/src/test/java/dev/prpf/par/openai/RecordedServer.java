package dev.prpf.par.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Plays back recorded answers and faults of servers, and records the requests. When the tape is empty, it echoes the last message. */
public final class RecordedServer implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final Deque<Reply> tape = new ArrayDeque<>();
    private final List<JsonNode> bodies = Collections.synchronizedList(new ArrayList<>());
    private final List<@Nullable String> keys = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger under = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final CountDownLatch broken = new CountDownLatch(1);
    private volatile Function<String, String> talk = text -> text;
    private volatile Function<JsonNode, Reply> continues = body -> json(400, "{}");
    private volatile String models = "{\"id\":\"qwen\"},{\"id\":\"smol\"}";
    private volatile boolean loading;
    private volatile long delayMs;

    /** A recorded answer or fault. */
    @FunctionalInterface
    public interface Reply {
        void play(HttpExchange exchange) throws IOException;
    }

    public RecordedServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/v1/models", exchange -> {
            json(loading ? 503 : 200, "{\"object\":\"list\",\"data\":[" + models + "]}")
                    .play(exchange);
            exchange.close();
        });
        server.createContext("/v1/chat/completions", this::complete);
        server.createContext("/v1/completions", this::complete);
        server.start();
    }

    public String baseUrl() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1";
    }

    /** Appends replies to the tape. */
    public RecordedServer record(Reply... replies) {
        synchronized (tape) {
            tape.addAll(Arrays.asList(replies));
        }
        return this;
    }

    /** Sets the answer to a last message for an empty tape. */
    public RecordedServer talking(Function<String, String> say) {
        talk = say;
        return this;
    }

    /** Sets the answer to a prompt of tokens for an empty tape. */
    public RecordedServer continuing(Function<JsonNode, Reply> reply) {
        continues = reply;
        return this;
    }

    /** Has one model, of that name. */
    public RecordedServer having(String model) {
        models = "{\"id\":\"" + model + "\"}";
        return this;
    }

    /** Whether its list of models is to be had later: 503. */
    void loading(boolean still) {
        loading = still;
    }

    /** Knows no other address than that of conversations. */
    public void withoutModels() {
        server.removeContext("/v1/models");
    }

    /** Every answer takes that long. */
    public RecordedServer slow(long milliseconds) {
        delayMs = milliseconds;
        return this;
    }

    /** The requests' bodies so far. */
    public List<JsonNode> bodies() {
        return List.copyOf(bodies);
    }

    List<@Nullable String> keys() {
        return keys;
    }

    /** How many requests were under way at once at most. */
    int most() {
        return most.get();
    }

    public static Reply json(int status, String body, String... headers) {
        return reply(status, "application/json", body, headers);
    }

    static Reply reply(int status, String type, String body, String... headers) {
        return exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", type);
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
            }
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            if (bytes.length > 0) {
                exchange.getResponseBody().write(bytes);
            }
        };
    }

    /** An answer as vLLM writes it. */
    public static Reply said(String text, String finish) {
        return json(200, answer(text, finish));
    }

    private static String answer(String text, String finish) {
        return "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"qwen\",\"choices\":[{\"index\":0,"
                + "\"message\":{\"role\":\"assistant\",\"content\":" + JSON.valueToTree(text)
                + ",\"reasoning\":null,\"tool_calls\":[]},\"logprobs\":null,\"finish_reason\":\"" + finish
                + "\",\"stop_reason\":null}],\"usage\":{\"prompt_tokens\":11,\"total_tokens\":18,\"completion_tokens\":7,"
                + "\"prompt_tokens_details\":null}}";
    }

    /** Promises more than it sends, then hangs up. */
    public static Reply cutBody() {
        return exchange -> {
            byte[] bytes = answer("cut", "stop").getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes, 0, bytes.length / 2);
            exchange.getResponseBody().flush();
        };
    }

    /** Server-sent events with a pause before each piece; null hangs up. */
    public static Reply streaming(long pauseMs, @Nullable String... pieces) {
        return exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
            boolean dies = Arrays.asList(pieces).contains(null);
            exchange.sendResponseHeaders(200, dies ? Integer.MAX_VALUE : 0); // fewer bytes than promised
            for (String piece : pieces) {
                sleep(pauseMs);
                if (piece == null) {
                    throw new IOException("the server dies");
                }
                exchange.getResponseBody().write(piece.getBytes(StandardCharsets.UTF_8));
                exchange.getResponseBody().flush();
            }
        };
    }

    /** A streamed answer of these pieces of text, and its end. */
    public static Reply streaming(List<String> texts) {
        return streaming(
                0,
                Stream.concat(
                                texts.stream().map(RecordedServer::delta),
                                Stream.of(
                                        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
                                        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":7}}\n\n",
                                        "data: [DONE]\n\n"))
                        .toArray(String[]::new));
    }

    /** The event of a piece of text. */
    public static String delta(String text) {
        return "data: {\"choices\":[{\"delta\":{\"content\":" + JSON.valueToTree(text)
                + "},\"finish_reason\":null}]}\n\n";
    }

    /** Sends headers, then nothing for so long. */
    public static Reply silent(long milliseconds) {
        return exchange -> {
            exchange.sendResponseHeaders(200, 100);
            exchange.getResponseBody().flush();
            sleep(milliseconds);
        };
    }

    private void complete(HttpExchange exchange) throws IOException {
        try (exchange) {
            reply(exchange).play(exchange);
        } catch (IOException e) {
            broken.countDown();
            throw e;
        }
    }

    /** Waits until an answer could not be written, because its client was gone. */
    public boolean awaitGoneClient() throws InterruptedException {
        return broken.await(20, TimeUnit.SECONDS);
    }

    /** A request counts as running until its answer begins, since its client may send the next one right after. */
    private Reply reply(HttpExchange exchange) throws IOException {
        most.accumulateAndGet(under.incrementAndGet(), Math::max);
        try {
            keys.add(exchange.getRequestHeaders().getFirst("Authorization"));
            JsonNode body = JSON.readTree(exchange.getRequestBody());
            bodies.add(body);
            sleep(delayMs);
            return next(body);
        } finally {
            under.decrementAndGet();
        }
    }

    private Reply next(JsonNode body) {
        Reply recorded;
        synchronized (tape) {
            recorded = tape.poll();
        }
        JsonNode messages = body.path("messages");
        if (recorded == null && body.has("prompt")) {
            return continues.apply(body);
        }
        return recorded != null
                ? recorded
                : said(
                        talk.apply(messages.path(messages.size() - 1)
                                .path("content")
                                .asText()),
                        "stop");
    }

    private static void sleep(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
