package dev.prpf.base.http;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A server that cannot answer now and may later: status 408, 429 or 5xx. */
public final class BusyException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable Duration retryAfter;

    /** @param retryAfter how long the server asks to wait, or null where it does not say */
    public BusyException(String message, @Nullable Duration retryAfter) {
        super(message);
        this.retryAfter = retryAfter;
    }

    /** Of a response; its {@code Retry-After} is read. */
    public static BusyException of(String message, HttpResponse<?> response) {
        return new BusyException(
                message,
                response.headers()
                        .firstValue("Retry-After")
                        .map(value -> RetryAfter.parse(value, Instant.now()))
                        .orElse(null));
    }

    /** Whether a status says "later". */
    public static boolean isBusy(int status) {
        return status == 408 || status == 429 || status >= 500;
    }

    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
