package dev.prpf.base.hub;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** A fake hub of one repository, and a second server with its LFS contents. Injects faults and records every request. */
final class FakeHub implements AutoCloseable {
    static final String COMMIT = "0123456789abcdef0123456789abcdef01234567";
    private static final int PAGE = 2;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer hub = server();
    private final HttpServer store = server();
    private final Map<String, byte[]> contents = new LinkedHashMap<>();
    private final Map<String, String> extraEntries = new LinkedHashMap<>();
    private final Map<String, Boolean> lfs = new HashMap<>();
    private final Map<String, Deque<Fault>> faults = new ConcurrentHashMap<>();
    final List<Request> requests = Collections.synchronizedList(new ArrayList<>());
    private final String base;

    /** A request that a server received. */
    record Request(String server, String path, @Nullable String authorization, @Nullable String range) {}

    /** Sends a response instead of the right one. */
    interface Fault {
        void serve(HttpExchange exchange, byte[] content) throws IOException;
    }

    FakeHub() throws IOException {
        this("models", "org/tiny");
    }

    FakeHub(String plural, String id) throws IOException {
        String files = (plural.equals("models") ? "" : plural + "/") + id;
        base = "/api/" + plural + "/" + id;
        handle(hub, "hub", base + "/revision/", this::revision);
        handle(hub, "hub", base + "/tree/", this::tree);
        handle(hub, "hub", "/" + files + "/resolve/" + COMMIT + "/", this::resolve);
        handle(hub, "hub", "/", exchange -> refuse(exchange, 404, "RepoNotFound"));
        handle(store, "store", "/lfs/", this::stored);
        hub.start();
        store.start();
    }

    private HttpServer server() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        return server;
    }

    private interface Handler {
        void handle(HttpExchange exchange) throws IOException;
    }

    private void handle(HttpServer server, String name, String path, Handler handler) {
        server.createContext(path, exchange -> {
            requests.add(new Request(
                    name,
                    exchange.getRequestURI().getPath(),
                    exchange.getRequestHeaders().getFirst("Authorization"),
                    exchange.getRequestHeaders().getFirst("Range")));
            try (exchange) {
                handler.handle(exchange);
            }
        });
    }

    String endpoint() {
        return "http://127.0.0.1:" + hub.getAddress().getPort();
    }

    HubEnvironment environment(Path home, String... variables) {
        Map<String, String> all = new HashMap<>(Map.of("HF_ENDPOINT", endpoint(), "HF_HOME", home.toString()));
        for (String variable : variables) {
            int equals = variable.indexOf('=');
            all.put(variable.substring(0, equals), variable.substring(equals + 1));
        }
        return HubEnvironment.of(all);
    }

    /** Adds a file stored in git. */
    FakeHub small(String path, String content) {
        return add(path, content.getBytes(StandardCharsets.UTF_8), false);
    }

    /** Adds a file stored in LFS, with a length in bytes. */
    FakeHub large(String path, int size) {
        byte[] content = new byte[size];
        new java.util.Random(size).nextBytes(content);
        return add(path, content, true);
    }

    private FakeHub add(String path, byte[] content, boolean large) {
        contents.put(path, content);
        lfs.put(path, large);
        return this;
    }

    /** Adds a raw line to the listing. */
    FakeHub listed(String key, String json) {
        extraEntries.put(key, json);
        return this;
    }

    private byte[] bytes(String path) {
        return Objects.requireNonNull(contents.get(path), path);
    }

    byte[] content(String path) {
        return bytes(path).clone();
    }

    String etag(String path) {
        byte[] content = bytes(path);
        return lfs.getOrDefault(path, false) ? hex("SHA-256", content) : gitId(content);
    }

    /** Sets the next responses for a path's bytes, or for an API path. */
    void fail(String path, Fault... next) {
        faults.put(path, new ArrayDeque<>(List.of(next)));
    }

    static Fault status(int status, String... headers) {
        return (exchange, content) -> {
            for (int i = 0; i < headers.length; i += 2) {
                exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
            }
            exchange.sendResponseHeaders(status, -1);
        };
    }

    /** Promises the rest and hangs up after a number of bytes. */
    static Fault cutAfter(int bytes) {
        return (exchange, content) -> {
            int from = from(exchange);
            boolean part = from > 0;
            if (part) {
                exchange.getResponseHeaders().set("Content-Range", range(from, content.length));
            }
            exchange.sendResponseHeaders(part ? 206 : 200, content.length - from);
            exchange.getResponseBody().write(content, from, bytes);
            exchange.getResponseBody().flush();
        };
    }

    /** Ignores the requested range. */
    static Fault whole() {
        return (exchange, content) -> send(exchange, 200, content, 0);
    }

    /** Compresses the content although the client accepts no encoding. */
    static Fault gzipped(int status) {
        return (exchange, content) -> {
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            try (OutputStream out = new GZIPOutputStream(packed)) {
                out.write(content);
            }
            exchange.getResponseHeaders().set("Content-Encoding", "gzip");
            exchange.getResponseHeaders().set("Content-Range", range(100_000, content.length));
            send(exchange, status, packed.toByteArray(), 0);
        };
    }

    static Fault instead(byte[] other) {
        return (exchange, content) -> send(exchange, 200, other, 0);
    }

    private void revision(HttpExchange exchange) throws IOException {
        String revision = exchange.getRequestURI().getRawPath().substring((base + "/revision/").length());
        if (served(revision, exchange, new byte[0])) {
            return;
        }
        if (List.of("main", COMMIT, "refs%2Fpr%2F1").contains(revision)) {
            send(exchange, 200, ("{\"sha\":\"" + COMMIT + "\"}").getBytes(StandardCharsets.UTF_8), 0);
        } else {
            refuse(exchange, 404, "RevisionNotFound");
        }
    }

    private void tree(HttpExchange exchange) throws IOException {
        if (served("tree", exchange, new byte[0])) {
            return;
        }
        List<String> entries =
                new ArrayList<>(List.of("{\"type\":\"directory\",\"path\":\"folder\",\"oid\":\"x\",\"size\":0}"));
        contents.keySet().forEach(path -> entries.add(entry(path)));
        entries.addAll(extraEntries.values());
        String query = exchange.getRequestURI().getQuery();
        int from = query.contains("cursor=") ? Integer.parseInt(query.replaceAll(".*cursor=(\\d+).*", "$1")) : 0;
        int to = Math.min(entries.size(), from + PAGE);
        if (to < entries.size()) {
            exchange.getResponseHeaders()
                    .set(
                            "Link",
                            "<" + endpoint() + exchange.getRequestURI().getPath() + "?cursor=" + to
                                    + ">; rel=\"next\"");
        }
        send(
                exchange,
                200,
                ("[" + String.join(",", entries.subList(from, to)) + "]").getBytes(StandardCharsets.UTF_8),
                0);
    }

    private String entry(String path) {
        byte[] content = bytes(path);
        String git = gitId(content);
        String large = lfs.getOrDefault(path, false)
                ? String.format(
                        Locale.ROOT,
                        ",\"lfs\":{\"oid\":\"%s\",\"size\":%d,\"pointerSize\":134}",
                        etag(path),
                        content.length)
                : "";
        return String.format(
                Locale.ROOT,
                "{\"type\":\"file\",\"path\":\"%s\",\"size\":%d,\"oid\":\"%s\"%s}",
                path,
                content.length,
                git,
                large);
    }

    private void resolve(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath().replaceAll("^.*/resolve/[0-9a-f]+/", "");
        byte[] content = bytes(path);
        exchange.getResponseHeaders().set("X-Repo-Commit", COMMIT);
        exchange.getResponseHeaders().set("ETag", "\"" + etag(path) + "\"");
        if (lfs.getOrDefault(path, false)) {
            exchange.getResponseHeaders().set("X-Linked-Etag", "\"" + etag(path) + "\"");
            exchange.getResponseHeaders().set("X-Linked-Size", String.valueOf(content.length));
            exchange.getResponseHeaders()
                    .set(
                            "Location",
                            "http://localhost:" + store.getAddress().getPort() + "/lfs/" + path + "?signature=s");
            exchange.sendResponseHeaders(302, -1);
        } else if (!served(path, exchange, content)) {
            part(exchange, content);
        }
    }

    private void stored(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath().substring("/lfs/".length());
        if (!served(path, exchange, bytes(path))) {
            part(exchange, bytes(path));
        }
    }

    private boolean served(String path, HttpExchange exchange, byte[] content) throws IOException {
        Deque<Fault> next = faults.getOrDefault(path, new ArrayDeque<>());
        Fault fault;
        synchronized (next) {
            fault = next.poll();
        }
        if (fault == null) {
            return false;
        }
        fault.serve(exchange, content);
        return true;
    }

    private static void part(HttpExchange exchange, byte[] content) throws IOException {
        int from = from(exchange);
        if (from == 0) {
            send(exchange, 200, content, 0);
        } else if (from >= content.length) {
            exchange.sendResponseHeaders(416, -1);
        } else {
            exchange.getResponseHeaders().set("Content-Range", range(from, content.length));
            send(exchange, 206, content, from);
        }
    }

    private static String range(int from, int length) {
        return "bytes " + from + "-" + (length - 1) + "/" + length;
    }

    private static int from(HttpExchange exchange) {
        String range = exchange.getRequestHeaders().getFirst("Range");
        return range == null ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
    }

    private static void send(HttpExchange exchange, int status, byte[] content, int from) throws IOException {
        int length = content.length - from;
        exchange.sendResponseHeaders(status, exchange.getRequestMethod().equals("HEAD") || length == 0 ? -1 : length);
        if (length > 0 && !exchange.getRequestMethod().equals("HEAD")) {
            try (OutputStream body = exchange.getResponseBody()) {
                body.write(content, from, length);
            }
        }
    }

    private static void refuse(HttpExchange exchange, int status, String code) throws IOException {
        exchange.getResponseHeaders().set("X-Error-Code", code);
        exchange.sendResponseHeaders(status, -1);
    }

    private static String gitId(byte[] content) {
        byte[] header = ("blob " + content.length + "\0").getBytes(StandardCharsets.UTF_8);
        byte[] all = java.util.Arrays.copyOf(header, header.length + content.length);
        System.arraycopy(content, 0, all, header.length, content.length);
        return hex("SHA-1", all);
    }

    private static String hex(String algorithm, byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the number of requests for a path's bytes. */
    long fetched(String path) {
        return requests.stream()
                .filter(request ->
                        request.path().endsWith("/" + path) && !request.path().contains("/api/"))
                .filter(request ->
                        !lfs.getOrDefault(path, false) || request.server().equals("store"))
                .count();
    }

    @Override
    public void close() {
        hub.stop(0);
        store.stop(0);
        threads.shutdownNow();
    }
}
