package dev.prpf.base.http;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.apache.commons.lang3.StringUtils;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.jspecify.annotations.Nullable;

/** Sends a request and receives the response, limited in time and size. The JDK's own timeout ends with the headers. */
public final class TimedExchange {
    /** Largest body in bytes: a page of a hub's listing has half a megabyte, a completion with log-probabilities a few. */
    static final int MAX_BODY = 64 << 20;

    private static final Duration STEP = Duration.ofMillis(100);
    private static final byte[] END = {};
    private static final int SHOWN_CHARACTERS = 300;

    private TimedExchange() {}

    /** Receives the body of a successful response on the thread that sent the request. An exception cancels the exchange. */
    public interface Receiver {
        /** Receives the next bytes of the body; returns whether it needs more. */
        boolean received(byte[] piece) throws IOException;

        /** Called ten times a second until the end of the body. */
        void waiting();
    }

    private static BodySubscriber<byte[]> bounded(URI address, HttpHeaders headers, int limit) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        BodySubscriber<Void> all = BodySubscribers.ofByteArrayConsumer(piece -> piece.ifPresent(bytes -> {
            requireWithin(address, body.size() + bytes.length, limit);
            body.writeBytes(bytes);
        }));
        return BodySubscribers.mapping(all, end -> unpacked(address, headers, body.toByteArray(), limit));
    }

    private static byte[] unpacked(URI address, HttpHeaders headers, byte[] body, int limit) {
        if (ContentEncoding.isIdentity(headers) || body.length == 0) {
            return body;
        }
        try (InputStream content =
                ContentEncoding.decoded(address.toString(), headers, new ByteArrayInputStream(body))) {
            byte[] bytes = content.readNBytes(limit + 1);
            requireWithin(address, bytes.length, limit);
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void requireWithin(URI address, int bytes, int limit) {
        if (bytes > limit) {
            throw new InvalidDataException(address + " answers with more than " + limit + " bytes, which is more"
                    + " than any right answer has; is it the server it should be?");
        }
    }

    /** Creates a client with a connect timeout, without redirects, for HTTP/1.1: many model servers fail on an offered upgrade. */
    public static HttpClient client(Duration connectTimeout) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(connectTimeout)
                .build();
    }

    /**
     * Sends a request and returns the response. An interrupt cancels the exchange.
     *
     * @throws HttpTimeoutException if the response is not complete within {@code limit}
     * @throws InvalidDataException if the response exceeds {@value #MAX_BODY} bytes
     */
    public static HttpResponse<byte[]> send(HttpClient client, HttpRequest request, Duration limit)
            throws IOException, InterruptedException {
        return send(client, request, limit, MAX_BODY);
    }

    /** The client of all {@link #get} requests, so that connections are used again. */
    private static final class Shared {
        static final HttpClient CLIENT = client(Duration.ofMinutes(1));
    }

    /**
     * Requests a resource and returns its body.
     *
     * @param token for the header Authorization; null for none
     * @throws UnavailableException if the status is not 200
     * @throws IllegalArgumentException if the address is not of HTTP
     */
    public static byte[] get(URI address, @Nullable String token, Duration limit)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(address);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        HttpResponse<byte[]> response = send(Shared.CLIENT, request.build(), limit);
        if (response.statusCode() != 200) {
            String text = StringUtils.normalizeSpace(new String(response.body(), StandardCharsets.UTF_8));
            throw new UnavailableException(address + " answers " + response.statusCode() + ": "
                    + StringUtils.abbreviate(text, SHOWN_CHARACTERS));
        }
        return response.body();
    }

    static HttpResponse<byte[]> send(HttpClient client, HttpRequest request, Duration limit, int maxBody)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<byte[]>> exchange =
                client.sendAsync(request, answer -> bounded(request.uri(), answer.headers(), maxBody));
        try {
            return whole(exchange, request, limit);
        } finally {
            exchange.cancel(true);
        }
    }

    /**
     * Sends a request and passes the body of a response with status 2xx on as it arrives. An interrupt cancels the exchange.
     *
     * @return the response; its body is empty if it was passed on. Null if the receiver needs no more; the rest of the body is ignored then
     * @throws IOException as {@link #send}, and what the receiver throws
     */
    public static @Nullable HttpResponse<byte[]> stream(
            HttpClient client, HttpRequest request, Duration limit, Receiver receiver)
            throws IOException, InterruptedException {
        BlockingQueue<byte[]> pieces = new LinkedBlockingQueue<>();
        CompletableFuture<HttpResponse<byte[]>> exchange = client.sendAsync(
                request,
                answer -> answer.statusCode() / 100 == 2
                        ? queued(request.uri(), pieces)
                        : bounded(request.uri(), answer.headers(), MAX_BODY));
        CompletableFuture<HttpResponse<byte[]>> ended = exchange.whenComplete((response, failure) -> pieces.add(END));
        long begin = System.nanoTime();
        long looked = begin;
        try {
            while (true) {
                byte[] piece = pieces.poll(STEP.toMillis(), TimeUnit.MILLISECONDS);
                long now = System.nanoTime();
                if (piece == END) {
                    return whole(ended, request, limit);
                }
                if (now - begin >= limit.toNanos()) {
                    throw late(request, limit);
                }
                if (piece != null && !receiver.received(piece)) {
                    settle(ended);
                    return null;
                }
                if (now - looked >= STEP.toNanos()) {
                    receiver.waiting();
                    looked = now;
                }
            }
        } finally {
            exchange.cancel(true);
        }
    }

    /** Waits a moment for the end of a body that is not needed, so that its connection can be used again. */
    private static void settle(CompletableFuture<?> exchange) throws InterruptedException {
        try {
            exchange.get(STEP.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // the answer is whole
        }
    }

    private static BodySubscriber<byte[]> queued(URI address, BlockingQueue<byte[]> pieces) {
        AtomicInteger size = new AtomicInteger();
        BodySubscriber<Void> all = BodySubscribers.ofByteArrayConsumer(piece -> piece.ifPresent(bytes -> {
            requireWithin(address, size.addAndGet(bytes.length), MAX_BODY);
            pieces.add(bytes);
        }));
        return BodySubscribers.mapping(all, end -> END);
    }

    private static HttpTimeoutException late(HttpRequest request, Duration limit) {
        long seconds = limit.plusMillis(999).toSeconds();
        return new HttpTimeoutException("no whole answer of " + request.uri() + " within " + seconds + " s");
    }

    private static <T> T whole(CompletableFuture<T> exchange, HttpRequest request, Duration limit)
            throws IOException, InterruptedException {
        try {
            return exchange.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw late(request, limit);
        } catch (ExecutionException e) {
            PrpfException refusal = ExceptionUtils.throwableOfType(e, PrpfException.class);
            if (refusal != null) {
                throw refusal;
            }
            IOException failure = ExceptionUtils.throwableOfType(e, IOException.class);
            if (failure != null) {
                throw failure;
            }
            throw new IllegalStateException("an exchange with " + request.uri() + " failed", e.getCause());
        }
    }

    /** Decompresses bodies that a server, a mirror or a proxy compressed although the request accepts identity only. */
    public static final class ContentEncoding {
        private static final String IDENTITY = "identity";

        private ContentEncoding() {}

        /** Returns whether the body is the content itself. */
        public static boolean isIdentity(HttpHeaders headers) {
            return of(headers).equals(IDENTITY);
        }

        /**
         * Returns the content of a response's body.
         *
         * @param address of the response, for the message
         * @throws UnavailableException for an encoding other than gzip, deflate and identity
         */
        public static InputStream decoded(String address, HttpHeaders headers, InputStream body) throws IOException {
            return switch (of(headers)) {
                case IDENTITY -> body;
                case "gzip", "x-gzip" -> new GZIPInputStream(body);
                case "deflate" -> new InflaterInputStream(body);
                default ->
                    throw new UnavailableException(address + " answers with Content-Encoding \"" + of(headers)
                            + "\", must be gzip, deflate or identity; use an endpoint that does not compress");
            };
        }

        private static String of(HttpHeaders headers) {
            String encoding = headers.firstValue("Content-Encoding").orElse(IDENTITY);
            return encoding.isBlank() ? IDENTITY : encoding.strip().toLowerCase(Locale.ROOT);
        }
    }
}
