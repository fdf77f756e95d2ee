package dev.prpf.base.http;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One request and its whole answer within a time; the JDK's own limit ends with the headers. */
public final class TimedExchange {
    private TimedExchange() {}

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
     */
    public static HttpResponse<byte[]> send(HttpClient client, HttpRequest request, Duration limit)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<byte[]>> exchange =
                client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
        try {
            return exchange.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new HttpTimeoutException(
                    "no whole answer of " + request.uri() + " within " + limit.toSeconds() + " s");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException("an exchange with " + request.uri() + " failed", e.getCause());
        } finally {
            exchange.cancel(true);
        }
    }
}
