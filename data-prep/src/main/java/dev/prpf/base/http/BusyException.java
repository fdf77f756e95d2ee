package dev.prpf.base.http;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/** Thrown for a temporary server failure: status 408, 429 or 5xx. */
public final class BusyException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final transient @Nullable Duration retryAfter;

    /** @param retryAfter the wait that the server requests, or null */
    public BusyException(String message, int status, @Nullable Duration retryAfter) {
        super(message);
        this.status = status;
        this.retryAfter = retryAfter;
    }

    /** Creates the exception for a response, with its {@code Retry-After}. */
    public static BusyException of(String message, HttpResponse<?> response) {
        return new BusyException(
                message,
                response.statusCode(),
                response.headers()
                        .firstValue("Retry-After")
                        .map(value -> wait(value, Instant.now()))
                        .orElse(null));
    }

    /** Returns whether a status is temporary. */
    public static boolean isBusy(int status) {
        return status == 408 || status == 429 || status >= 500;
    }

    public int status() {
        return status;
    }

    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    /** Parses {@code Retry-After} (RFC 9110 §10.2.3): seconds or a date; a past date is zero. Returns null for an invalid value. */
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
