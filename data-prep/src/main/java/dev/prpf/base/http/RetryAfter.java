package dev.prpf.base.http;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/** The header {@code Retry-After} (RFC 9110 §10.2.3): seconds or a date. */
final class RetryAfter {
    private RetryAfter() {}

    /** How long to wait, or null where the value is neither; a date that has passed is no wait. */
    static @Nullable Duration parse(String value, Instant now) {
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
