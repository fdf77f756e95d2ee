package dev.prpf.base.http;

import dev.prpf.base.error.InvalidDataException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.commons.lang3.exception.ExceptionUtils;

/** One request and its whole answer, bounded in time and in size; the JDK's own time limit ends with the headers, and it has none of size. */
public final class TimedExchange {
    /** Bytes of an answer at most: a page of a hub's listing has half a megabyte, an answer with log-probabilities a few. */
    static final int MAX_BODY = 64 << 20;

    private TimedExchange() {}

    private static BodySubscriber<byte[]> bounded(URI address, int limit) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        BodySubscriber<Void> all = BodySubscribers.ofByteArrayConsumer(piece -> piece.ifPresent(bytes -> {
            if (body.size() + bytes.length > limit) {
                throw new InvalidDataException(address + " answers with more than " + limit + " bytes, which is more"
                        + " than any right answer has; is it the server it should be?");
            }
            body.writeBytes(bytes);
        }));
        return BodySubscribers.mapping(all, end -> body.toByteArray());
    }

    /** A client that connects within a time, speaks HTTP/1.1 (many servers of models stumble over an offered upgrade) and follows nothing. */
    public static HttpClient client(Duration connectTimeout) {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(connectTimeout)
                .build();
    }

    /**
     * Sends and receives. An interrupt ends the exchange, too.
     *
     * @throws HttpTimeoutException if the answer is not whole within {@code limit}
     * @throws InvalidDataException if it is longer than {@value #MAX_BODY} bytes
     */
    public static HttpResponse<byte[]> send(HttpClient client, HttpRequest request, Duration limit)
            throws IOException, InterruptedException {
        return send(client, request, limit, MAX_BODY);
    }

    static HttpResponse<byte[]> send(HttpClient client, HttpRequest request, Duration limit, int maxBody)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<byte[]>> exchange =
                client.sendAsync(request, answer -> bounded(request.uri(), maxBody));
        try {
            return exchange.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new HttpTimeoutException(
                    "no whole answer of " + request.uri() + " within " + limit.toSeconds() + " s");
        } catch (ExecutionException e) {
            InvalidDataException tooLong = ExceptionUtils.throwableOfType(e, InvalidDataException.class);
            if (tooLong != null) {
                throw tooLong;
            }
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException("an exchange with " + request.uri() + " failed", e.getCause());
        } finally {
            exchange.cancel(true);
        }
    }
}
