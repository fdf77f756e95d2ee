package dev.prpf.base.http;

import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * How often to try again and how long to wait before. Without a word of the server the wait doubles from {@code first} up to {@code
 * longest}, and a random half of it is left out, so that clients that failed together do not come back together.
 *
 * @param retries further attempts without progress after a first one
 * @param first wait before the first of them
 * @param longest wait at most, and at most what a server's {@code Retry-After} may ask for
 */
public record RetryPolicy(int retries, Duration first, Duration longest) {
    public RetryPolicy {
        if (retries < 0) {
            throw new IllegalArgumentException("retries = " + retries + ", must be at least 0");
        }
        if (first.isNegative() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException("waits from " + first + " to " + longest
                    + ": must not be negative, the longest at least the first");
        }
    }

    /**
     * The wait before a further attempt.
     *
     * @param attempt how many went before without progress, from 0
     * @param asked what the server asked for, or null
     */
    Duration wait(int attempt, @Nullable Duration asked, RandomGenerator random) {
        if (asked != null) {
            return asked;
        }
        double full = Math.min((double) longest.toMillis(), first.toMillis() * Math.pow(2, attempt));
        return Duration.ofMillis(Math.round(full * (0.5 + random.nextDouble() / 2)));
    }
}
