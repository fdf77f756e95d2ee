package dev.prpf.par.serve.http;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InsufficientMemoryException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.par.generate.GenerationRequest.GenerationRefused;
import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.Header;
import io.javalin.http.HttpResponseException;
import io.javalin.router.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP server: access checks, error responses and shutdown. */
public final class ApiServer implements AutoCloseable {
    /** Longest wait of {@link #close} for interrupted handlers. */
    public static final Duration LAST_STEPS = Duration.ofSeconds(2);

    /** Attribute of a request: lets its reply wait without its memory and its place among the handlers. */
    static final String LEAVE = "dev.prpf.leave";

    private static final Logger LOG = LoggerFactory.getLogger(ApiServer.class);
    private static final String CALLER = "prpf.caller";
    private static final String REQUEST_ID = "prpf.request";
    private static final String COMPUTING = "prpf.computing";
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);
    private static final long SHORT_BODY = 1 << 13;
    private static final long SHORT_ANSWER = 1 << 16;
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final List<String> SINGLE = List.of(Header.ORIGIN, Header.AUTHORIZATION, Header.CONTENT_TYPE);
    private static final Set<String> PROBES = Set.of("/health", "/ready");
    private static final String METHOD_OVERRIDE = Header.X_HTTP_METHOD_OVERRIDE;
    private static final Pattern DOTS = Pattern.compile("/\\.{1,2}(/|$)");
    private static final long STEP_MILLIS = 20;
    private static final long REFUSAL_MILLIS = 250;
    private static final int ACCEPT_QUEUE = 1024;
    private static final int CLIENT_CLOSED = 499; // nginx's status

    private final Place place;
    private final HttpSettings settings;
    private final ServerMetrics metrics;
    private final Set<String> open;
    private final Origins origins;
    private final AtomicInteger handling = new AtomicInteger();
    private final AtomicBoolean draining = new AtomicBoolean();
    private final RequestGate gate;
    private final FairGate computing;
    private final Javalin javalin;

    /**
     * Address and keys of the server.
     *
     * @param host a name or an address of this machine
     * @param port 0 for any free port
     * @param keys of the clients; required beyond loopback
     */
    public record Place(String host, int port, ApiKeys keys) {
        /** @throws PrpfException 2 beyond loopback without keys, or for an unknown host */
        public Place {
            host = host.replaceAll("^\\[(.*)]$", "$1"); // an address of IPv6 as in a URL
            if (port < 0 || port > 65_535) {
                throw new UsageException("--port = " + port + ", must be from 0 to 65535");
            }
            if (!keys.required() && !isLoopback(host)) {
                throw new UsageException("--host " + host
                        + " is reached from other machines: that needs --api-key-file," + " or --host 127.0.0.1");
            }
        }

        private static boolean isLoopback(String host) {
            try {
                return InetAddress.getByName(host).isLoopbackAddress();
            } catch (UnknownHostException e) {
                throw new UsageException("--host " + host + ": there is no such host");
            }
        }
    }

    private ApiServer(
            Place place, HttpSettings settings, ServerMetrics metrics, List<Routes> routes, BooleanSupplier ready) {
        this.place = place;
        this.settings = settings;
        this.metrics = metrics;
        open = routes.stream().flatMap(group -> group.open().stream()).collect(Collectors.toUnmodifiableSet());
        origins = new Origins(settings.allowedOrigins(), open);
        gate = new RequestGate(settings, place.keys(), metrics, draining::get, ready);
        computing = FairGate.computing(metrics, LONGEST_WAIT, new FairGate.Refusals(ApiServer::late));
        javalin = Javalin.create(config -> configure(config, routes));
    }

    private static ApiException late() {
        return ApiException.overloaded(
                SOON,
                "the request's turn to be read did not come within " + LONGEST_WAIT.toSeconds()
                        + " s; send fewer at once");
    }

    /**
     * Starts to listen on the port.
     *
     * @param ready whether the loaded components still work
     * @throws PrpfException 69 if the port is taken
     */
    public static ApiServer start(
            Place place, HttpSettings settings, ServerMetrics metrics, List<Routes> routes, BooleanSupplier ready) {
        ApiServer server = new ApiServer(place, settings, metrics, routes, ready);
        try {
            server.javalin.start();
            return server;
        } catch (RuntimeException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw refused(place, cause);
        }
    }

    /** Checks before models are loaded that a server could listen; throws as {@link #start}. */
    public static void requireFree(Place place) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true); // as the server does: connections of an ended one do not count
            socket.bind(new InetSocketAddress(place.host(), place.port()));
        } catch (IOException e) {
            throw refused(place, e);
        }
    }

    private static UnavailableException refused(Place place, Throwable cause) {
        return new UnavailableException("cannot listen on " + place.host() + ":" + place.port() + ": "
                + cause.getMessage() + "; name another --port, 0 for any that is free, or another --host");
    }

    /** Returns the base URL {@code http://HOST:PORT}. */
    public String address() {
        String host = place.host().contains(":") ? "[" + place.host() + "]" : place.host();
        return "http://" + host + ":" + javalin.port();
    }

    /** Returns {@code METHOD /path} of every route, in alphabetical order. */
    public List<String> routes() {
        Stream<String> handled = javalin.unsafe.internalRouter.allHttpHandlers().stream()
                .map(handler -> handler.endpoint)
                .filter(endpoint -> endpoint.method.isHttpMethod())
                .map(endpoint -> endpoint.method + " " + spelled(endpoint));
        return Stream.concat(handled, PROBES.stream().map(path -> "GET " + path))
                .sorted()
                .toList();
    }

    /** Returns the name of the request's API key, or "local" on a server without keys. */
    public static String caller(Context context) {
        return Objects.requireNonNull(
                context.<String>attribute(CALLER), "every request but one to an open path has a caller");
    }

    /** Returns the id of a request, sent in its answer as {@code X-Request-Id}. */
    public static String requestId(Context context) {
        return Objects.requireNonNull(context.<String>attribute(REQUEST_ID), "every request has an id");
    }

    /**
     * Runs long CPU work, such as parsing a long body, in the turn of the request's API key. At most one request per core works at a time.
     *
     * @param waiting runs repeatedly during the wait; throws if the client disconnected
     * @throws ApiException 429 if the turn does not come within a minute; rethrows from work and waiting
     */
    public static <T> T compute(Context context, Runnable waiting, Supplier<T> work) {
        FairGate gate = Objects.requireNonNull(context.<FairGate>attribute(COMPUTING), "every request has the gate");
        return gate.turn(caller(context), waiting, work);
    }

    /** Reads a short request directly, and a long one, with much text to tokenize, by {@link #compute}. */
    public static <T> T read(Context context, Supplier<T> work) {
        long length = context.req().getContentLengthLong();
        return length >= 0 && length <= SHORT_BODY
                ? work.get()
                : compute(context, new ClientConnection(context)::requireOpen, work);
    }

    /**
     * Reserves memory for a long answer, which a slow client holds for as long as it reads.
     *
     * @throws ApiException 503 if the request's API key has no more memory
     */
    public static void reserve(Context context, long bytes) {
        if (bytes > SHORT_ANSWER) {
            Objects.requireNonNull(context.<BodyMemory.Share>attribute(BodyMemory.Share.class.getName()))
                    .hold(bytes);
        }
    }

    /**
     * Releases the memory of a request's body and its place among the handlers, before its answer waits without a thread. The request keeps both if too
     * many wait. {@link #drain} waits for its answer.
     */
    public static void leave(Context context) {
        Objects.requireNonNull(context.<Runnable>attribute(LEAVE)).run();
    }

    /** Refuses new requests (503) and waits until those in progress have ended or timed out. */
    public void drain() {
        draining.set(true);
        await(gate::active, Duration.ofSeconds(settings.drainTimeout()));
        if (gate.active() > 0) {
            LOG.warn("{} requests had not ended after {} s and are cut off", gate.active(), settings.drainTimeout());
        }
    }

    private static void await(IntSupplier count, Duration most) {
        long end = System.nanoTime() + most.toNanos();
        while (count.getAsInt() > 0 && System.nanoTime() < end) {
            try {
                Thread.sleep(STEP_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Returns whether a handler still runs: the components that it uses must not be closed. */
    public boolean busy() {
        return handling.get() > 0;
    }

    /** Interrupts requests in progress; handlers that ignore the interrupt keep the server {@link #busy}. */
    @Override
    public void close() {
        draining.set(true);
        javalin.stop();
        await(handling::get, LAST_STEPS);
    }

    private void configure(JavalinConfig config, List<Routes> routes) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.startup.startupWatcherEnabled = false;
        config.http.prefer405over404 = true;
        config.http.maxRequestSize = settings.maxBodyBytes();
        config.http.defaultContentType = "application/json";
        config.http.compressionStrategy = CompressionStrategy.NONE; // left to a proxy
        config.router.handlerWrapper(this::guarded);
        config.jetty.addConnector(this::connector);
        config.jetty.threadPool = threads();
        config.jetty.modifyHttpConfiguration(this::limit);
        config.jetty.modifyServletContextHandler(
                context -> context.getServletHandler().setDecodeAmbiguousURIs(true));
        config.jetty.modifyServer(server -> {
            server.insertHandler(gate);
            if (!settings.allowedOrigins().isEmpty()) {
                server.insertHandler(origins.preflight());
            }
            server.setErrorHandler(new RefusalPage(settings));
            server.setStopTimeout(0);
        });
        guard(config.routes);
        config.routes.get("/version", context -> answer(context, 200, new Version(revision())));
        config.routes.get("/metrics", this::metrics);
        routes.forEach(group -> group.add(config.routes));
        config.requestLogger.http((context, millis) -> metrics.answered(
                context.attribute(CALLER), route(context), context.statusCode(), Duration.ofNanos((long)
                        (millis * 1e6))));
    }

    private QueuedThreadPool threads() {
        QueuedThreadPool pool = new QueuedThreadPool(settings.threads(), 8);
        pool.setName("http");
        return pool;
    }

    private void limit(HttpConfiguration http) {
        http.setRequestHeaderSize(settings.maxHeaderKb() << 10);
        http.setIdleTimeout(Duration.ofSeconds(settings.idleTimeout()).toMillis());
        http.setHttpCompliance(
                HttpCompliance.RFC7230.without("RFC7230-CRLF", HttpCompliance.Violation.LF_HEADER_TERMINATION));
        http.setUriCompliance(UriCompliance.DEFAULT.with(
                "names-with-slashes",
                UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
                UriCompliance.Violation.AMBIGUOUS_EMPTY_SEGMENT));
        http.setSendServerVersion(false);
        http.setSendXPoweredBy(false);
        http.addCustomizer(ApiServer::withoutMethodOverride);
    }

    /** Removes the header with which Javalin would override the request line's method, which proxies and logs see. */
    private static Request withoutMethodOverride(Request request, HttpFields.Mutable answer) {
        if (!request.getHeaders().contains(METHOD_OVERRIDE)) {
            return request;
        }
        HttpFields headers = HttpFields.build(request.getHeaders()).remove(METHOD_OVERRIDE);
        return new Request.Wrapper(request) {
            @Override
            public HttpFields getHeaders() {
                return headers;
            }
        };
    }

    /**
     * Closes connections without a byte after the idle timeout, also before their first request. The accept queue fits all connections of a trainer.
     */
    private Connector connector(Server server, HttpConfiguration http) {
        ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
        connector.setHost(place.host());
        connector.setPort(place.port());
        connector.setAcceptQueueSize(ACCEPT_QUEUE);
        connector.setIdleTimeout(Duration.ofSeconds(settings.idleTimeout()).toMillis());
        return connector;
    }

    private void guard(RoutesConfig routes) {
        routes.before(this::admit);
        routes.exception(HttpResponseException.class, this::refuseRoute);
        routes.exception(EventStream.Gone.class, ApiServer::hangUp);
        routes.exception(Exception.class, (e, context) -> refuse(context, refusalOf(context, e)));
    }

    private void admit(Context context) {
        String id = UUID.randomUUID().toString();
        context.attribute(REQUEST_ID, id);
        context.attribute(COMPUTING, computing);
        context.header("X-Request-Id", id);
        context.header("X-Content-Type-Options", "nosniff");
        context.header("Cache-Control", "no-store");
        context.header("Referrer-Policy", "no-referrer");
        context.header("Cross-Origin-Resource-Policy", "same-origin");
        if (PROBES.contains(context.path())) {
            return;
        }
        if (DOTS.matcher(context.path()).find()) {
            throw ApiException.invalid(null, "the path has a segment \".\" or \"..\"; write the path without them");
        }
        SINGLE.forEach(header -> requireSingle(context, header));
        if (!place.keys().required()) {
            Origins.requireLocal(context);
        }
        origins.require(context);
        if (!open.contains(context.path())) {
            context.attribute(CALLER, callerOf(context));
        }
        if (draining.get()) {
            context.header("Connection", "close");
            throw ApiException.unavailable(SOON, "the server is shutting down");
        }
    }

    private String callerOf(Context context) {
        String caller = place.keys().callerOf(context.header("Authorization"));
        if (caller == null) {
            context.header("WWW-Authenticate", "Bearer");
            throw ApiException.unauthorized();
        }
        return caller;
    }

    /** Refuses copies of a header: a proxy might check another copy than this server reads. */
    private static void requireSingle(Context context, String header) {
        if (Collections.list(context.req().getHeaders(header)).size() > 1) {
            throw ApiException.invalid(null, "the request has several headers " + header + "; send one");
        }
    }

    /** The client disconnected: close, so that a half-open client sees a failure, not an empty answer. */
    private static void hangUp(EventStream.Gone gone, Context context) {
        LOG.debug("{}: {}", requestId(context), gone.getMessage());
        context.status(CLIENT_CLOSED);
        new ClientConnection(context).cut();
    }

    /** Answers with a record as JSON, instead of output not yet sent; cuts the connection if an answer had begun. */
    public static void answer(Context context, int status, Object record) {
        if (context.res().isCommitted()) {
            new ClientConnection(context).cut(); // an answer had begun: the client must see that it is incomplete
            return;
        }
        context.res().resetBuffer();
        String json = JsonRecords.write(record);
        reserve(context, (long) Character.BYTES * json.length());
        context.status(status).contentType("application/json").result(json);
    }

    private static void refuse(Context context, ApiException e) {
        Duration after = e.retryAfter();
        if (after != null) {
            context.header("Retry-After", String.valueOf(Math.max(1, after.toSeconds())));
            pause();
        }
        answer(context, e.status(), e.body());
    }

    /** Delays a refusal, so that clients that retry at once do not take the processor from the requests that were admitted. */
    private static void pause() {
        try {
            Thread.sleep(REFUSAL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the error response to a failure. The log has the cause of the server's own errors. */
    static ApiException refusalOf(Context context, Exception e) {
        if (e instanceof ApiException known) {
            return known;
        }
        if (e instanceof GenerationRefused refused) {
            return ApiException.of(refused);
        }
        if (e instanceof InvalidDataException || e instanceof UsageException) {
            return ApiException.invalid(null, String.valueOf(e.getMessage()));
        }
        String id = requestId(context);
        if (e instanceof InsufficientMemoryException || e.getCause() instanceof OutOfMemoryError) {
            LOG.warn("{}: {}", id, FaultTrace.of(e));
            return ApiException.unavailable(SOON, "there is not enough memory for this request now");
        }
        LOG.error("request {} to {} failed: {}", id, route(context), FaultTrace.of(e));
        return ApiException.bug(id);
    }

    /** Replaces Javalin's own errors: unknown paths and methods. */
    private void refuseRoute(HttpResponseException e, Context context) {
        int status = e.getStatus();
        if (status == 405) {
            String methods = String.join(", ", e.getDetails().values());
            context.header("Allow", methods);
            refuse(context, ApiException.methodNotAllowed(context.req().getMethod(), methods));
            return;
        }
        ApiException refusal = status == 404
                ? ApiException.notFound(null, "unknown_path", "there is no such path; /openapi.json lists them")
                : ApiException.invalid(null, String.valueOf(e.getMessage()));
        answer(context, status, refusal.body());
    }

    /** Limits a JVM error, such as out of memory or stack overflow, to the request that caused it. */
    private Handler guarded(Endpoint endpoint) {
        return context -> {
            handling.incrementAndGet();
            try {
                endpoint.handler.handle(context);
            } catch (OutOfMemoryError | StackOverflowError e) {
                throw new IllegalStateException(e);
            } finally {
                handling.decrementAndGet();
            }
        };
    }

    /** Returns the path with parameter names, for a small number of metric labels. */
    private static String route(Context context) {
        Endpoint endpoint = context.endpoints().lastHttpEndpoint();
        return endpoint == null ? "none" : spelled(endpoint);
    }

    /** Returns the endpoint's path; Javalin writes {@code <id>} for a parameter that may hold slashes. */
    private static String spelled(Endpoint endpoint) {
        return endpoint.path.replace('<', '{').replace('>', '}');
    }

    private record Version(String version) {}

    private static String revision() {
        return System.getProperty("prpf.revision", "unknown");
    }

    private void metrics(Context context) {
        context.contentType("text/plain; version=0.0.4; charset=utf-8").result(metrics.scrape(caller(context)));
    }
}
