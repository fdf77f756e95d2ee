package dev.prpf.eval.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A fake server for the OpenAI protocol with answers from a test; records its requests. */
public final class ChatServer implements AutoCloseable {
    /** Marks an answer that never arrives. */
    public static final String SILENCE = "<silence>";

    /** Marks a prompt that does not fit. */
    public static final String TOO_LONG = "<too long>";

    /** Marks a server that is overloaded. */
    public static final String DOWN = "<down>";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final List<JsonNode> bodies = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger under = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final Function<JsonNode, String> says;

    /** @param says the text of the answer to a request's body, or one of the constants */
    public ChatServer(Function<JsonNode, String> says) throws IOException {
        this.says = says;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/v1/chat/completions", this::complete);
        server.start();
    }

    public String baseUrl() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1";
    }

    public List<JsonNode> bodies() {
        return List.copyOf(bodies);
    }

    /** How many requests were under way at once at most. */
    public int most() {
        return most.get();
    }

    /** The last message of a request. */
    public static String last(JsonNode body) {
        JsonNode messages = body.path("messages");
        return messages.path(messages.size() - 1).path("content").asText();
    }

    /** A verdict as a model writes it. */
    public static String verdict(String reason, String equivalent) {
        return "{\"reason\": \"" + reason + "\", \"equivalent\": " + equivalent + "}";
    }

    private void complete(HttpExchange exchange) throws IOException {
        try (exchange) {
            JsonNode body = JSON.readTree(exchange.getRequestBody());
            bodies.add(body);
            String text = answer(body);
            boolean answered = !text.equals(TOO_LONG) && !text.equals(DOWN);
            boolean cut = text.endsWith("…");
            byte[] bytes = (answered
                            ? "{\"choices\":[{\"message\":{\"content\":" + JSON.valueToTree(text)
                                    + "},\"finish_reason\":\"" + (cut ? "length" : "stop")
                                    + "\"}],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":10}}"
                            : "{\"error\":{\"message\":\""
                                    + (text.equals(DOWN)
                                            ? "out of workers"
                                            : "this is more than the maximum model length")
                                    + "\"}}")
                    .getBytes(StandardCharsets.UTF_8);
            int status = answered ? 200 : text.equals(TOO_LONG) ? 400 : 503;
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    /** Over before the answer goes out, after which the next request may come. */
    private String answer(JsonNode body) {
        most.accumulateAndGet(under.incrementAndGet(), Math::max);
        try {
            String text = says.apply(body);
            if (text.equals(SILENCE)) {
                Thread.sleep(60_000);
            }
            return text;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return DOWN;
        } finally {
            under.decrementAndGet();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
