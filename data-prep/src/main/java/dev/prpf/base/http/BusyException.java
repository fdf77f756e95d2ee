package dev.prpf.base.http;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
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
                        .map(value -> wait(value, Instant.now()))
                        .orElse(null));
    }

    /** Whether a status says "later". */
    public static boolean isBusy(int status) {
        return status == 408 || status == 429 || status >= 500;
    }

    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    /** The wait that {@code Retry-After} (RFC 9110 §10.2.3) asks for, in seconds or as a date, or null where the value is neither; a date that has passed is no wait. */
    static @Nullable Duration wait(String value, Instant now) {
        String text = value.strip();
        try {
            // Some servers send fractions of a second.
            double seconds = Double.parseDouble(text);
            return seconds >= 0 && seconds < Integer.MAX_VALUE ? Duration.ofMillis(Math.round(seconds * 1000)) : null;
        } catch (NumberFormatException noNumber) {
            return date(text, now);
        }
    }

    private static @Nullable Duration date(String text, Instant now) {
        try {
            Duration wait = Duration.between(
                    now,
                    ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                            .toInstant());
            return wait.isNegative() ? Duration.ZERO : wait;
        } catch (DateTimeParseException neither) {
            return null;
        }
    }
}
