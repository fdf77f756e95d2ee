package dev.prpf.par.serve.page;

import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One page of a browser: what a person does with it and sees of it, and what its console says. */
final class Tab implements WebSocket.Listener, AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Map<String, Key> KEYS = Map.of(
            "Tab", new Key("Tab", 9, null),
            "Enter", new Key("Enter", 13, "\r"),
            "Space", new Key(" ", 32, " "),
            "ArrowDown", new Key("ArrowDown", 40, null),
            "ArrowRight", new Key("ArrowRight", 39, null),
            "ArrowLeft", new Key("ArrowLeft", 37, null),
            "ArrowUp", new Key("ArrowUp", 38, null),
            "End", new Key("End", 35, null));

    private final ObjectMapper json = new ObjectMapper();
    private final AtomicInteger number = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final List<String> problems = new CopyOnWriteArrayList<>();
    private final StringBuilder message = new StringBuilder();
    private final WebSocket socket;

    private record Key(String key, int code, @Nullable String text) {}

    Tab(HttpClient client, String address) {
        socket = client.newWebSocketBuilder()
                .buildAsync(URI.create(address), this)
                .join();
        for (String domain : List.of("Page", "Runtime", "Log", "DOM", "Accessibility")) {
            send(domain + ".enable", Map.of());
        }
        send("Emulation.setFocusEmulationEnabled", Map.of("enabled", true));
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
        message.append(part);
        if (last) {
            take(message.toString());
            message.setLength(0);
        }
        from.request(1);
        return CompletableFuture.completedStage(null);
    }

    private void take(String text) {
        try {
            JsonNode node = json.readTree(text);
            CompletableFuture<JsonNode> waiting = answers.remove(node.path("id").intValue());
            if (waiting != null) {
                waiting.complete(node);
            }
            JsonNode event = node.path("params");
            switch (node.path("method").asText()) {
                case "Runtime.exceptionThrown" -> problems.add("exception: " + event.path("exceptionDetails"));
                case "Runtime.consoleAPICalled" -> problems.add("console: " + event.path("args"));
                case "Log.entryAdded" ->
                    problems.add(event.at("/entry/source").asText() + ": "
                            + event.at("/entry/text").asText());
                default -> {}
            }
        } catch (IOException e) {
            problems.add("protocol: " + e.getMessage());
        }
    }

    /** Returns the console's problems: errors, violations of the policy, failed requests ("network: …"). */
    List<String> problems() {
        return problems;
    }

    JsonNode send(String method, Map<String, ?> parameters) {
        int id = number.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        try {
            socket.sendText(json.writeValueAsString(Map.of("id", id, "method", method, "params", parameters)), true)
                    .join();
            JsonNode node = answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (node.has("error")) {
                throw new IllegalStateException(method + ": " + node.path("error"));
            }
            return node.path("result");
        } catch (IOException | InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(method, e);
        }
    }

    void go(String address) {
        send("Page.navigate", Map.of("url", address));
        until("document.readyState === 'complete' && location.href.startsWith('" + address + "')");
    }

    /** The value of an expression, as JSON. */
    JsonNode value(String expression) {
        JsonNode result = send(
                "Runtime.evaluate",
                Map.of("expression", expression, "returnByValue", true, "awaitPromise", true, "userGesture", true));
        if (result.has("exceptionDetails")) {
            throw new IllegalStateException(expression + ": " + result.path("exceptionDetails"));
        }
        return result.at("/result/value");
    }

    String text(String selector) {
        return value("document.querySelector('" + selector + "').textContent").asText();
    }

    /** Waits until an expression is true. */
    void until(String expression) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!value("Boolean(" + expression + ")").booleanValue()) {
            if (System.nanoTime() > end) {
                fail("never true: %s; the page says \"%s\" \"%s\", the console %s"
                        .formatted(expression, text("#status"), text("#error"), problems));
            }
            pause();
        }
    }

    void untilText(String selector, String part) {
        until("document.querySelector('" + selector + "')?.textContent.includes(" + quoted(part) + ")");
    }

    private String quoted(String text) {
        try {
            return json.writeValueAsString(text);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    void press(String name) {
        Key key = Objects.requireNonNull(KEYS.get(name), name);
        Map<String, Object> event = new ConcurrentHashMap<>(Map.of(
                "type",
                key.text() == null ? "rawKeyDown" : "keyDown",
                "key",
                key.key(),
                "code",
                name,
                "windowsVirtualKeyCode",
                key.code()));
        if (key.text() != null) {
            event.put("text", key.text());
        }
        send("Input.dispatchKeyEvent", event);
        event.put("type", "keyUp");
        event.remove("text");
        send("Input.dispatchKeyEvent", event);
    }

    /** Presses Tab until an element has the focus. */
    void tabTo(String selector) {
        for (int i = 0; i < 80; i++) {
            if (value("document.activeElement.matches('" + selector + "')").booleanValue()) {
                return;
            }
            press("Tab");
        }
        fail("Tab never reaches %s", selector);
    }

    void type(String text) {
        send("Input.insertText", Map.of("text", text));
    }

    void click(String selector) {
        value("document.querySelector('" + selector + "').click()");
    }

    void choose(String selector, int index) {
        value("{ const s = document.querySelector('" + selector + "'); s.selectedIndex = " + index
                + "; s.dispatchEvent(new Event('change', {bubbles: true})); }");
    }

    /** Puts a value in as a person's typing would. */
    void fill(String selector, String text) {
        value("{ const f = document.querySelector('" + selector + "'); f.value = " + quoted(text)
                + "; f.dispatchEvent(new Event('input', {bubbles: true})); }");
    }

    void chooseFiles(String selector, List<Path> files) {
        int root = send("DOM.getDocument", Map.of()).at("/root/nodeId").intValue();
        int node = send("DOM.querySelector", Map.of("nodeId", root, "selector", selector))
                .path("nodeId")
                .intValue();
        send(
                "DOM.setFileInputFiles",
                Map.of(
                        "nodeId",
                        node,
                        "files",
                        files.stream().map(Path::toString).toList()));
    }

    /** Roles and names as a screen reader has them; what it ignores is left out. */
    List<Map.Entry<String, String>> accessible() {
        List<Map.Entry<String, String>> nodes = new ArrayList<>();
        for (JsonNode node : send("Accessibility.getFullAXTree", Map.of()).path("nodes")) {
            if (!node.path("ignored").booleanValue()) {
                nodes.add(Map.entry(
                        node.at("/role/value").asText(), node.at("/name/value").asText()));
            }
        }
        return nodes;
    }

    /** Another window: its width, and what its person prefers. */
    void look(int width, boolean dark) {
        send(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
        send(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(
                                Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"),
                                Map.of("name", "prefers-reduced-motion", "value", "reduce"))));
    }

    /** Draws the whole page into a file. */
    void draw(Path file) throws IOException {
        JsonNode size = send("Page.getLayoutMetrics", Map.of()).path("cssContentSize");
        Map<String, Object> clip =
                Map.of("x", 0, "y", 0, "width", size.path("width"), "height", size.path("height"), "scale", 1);
        JsonNode drawn = send("Page.captureScreenshot", Map.of("captureBeyondViewport", true, "clip", clip));
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.write(file, Base64.getDecoder().decode(drawn.path("data").textValue()));
    }

    @Override
    public void close() {
        send("Page.close", Map.of());
        socket.abort();
    }
}
