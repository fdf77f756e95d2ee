package dev.prpf.base.http;

import dev.prpf.base.config.Rule;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.apache.commons.lang3.StringUtils;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.commons.lang3.function.FailableConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats an exchange that failed with an {@link IOException}, after growing waits. Other exceptions are final.
 * Thread-safe.
 */
public final class Retrier {
    private static final Logger LOG = LoggerFactory.getLogger(Retrier.class);

    private final Policy policy;
    private final FailableConsumer<Duration, InterruptedException> pause;
    private final RandomGenerator random = new Random();

    /**
     * The number of retries and the waits before them. Without {@code Retry-After} the wait doubles from {@code first} up to
     * {@code longest}. Random jitter removes up to half of it, so that clients that failed together do not return together.
     *
     * @param retries number of retries without progress
     * @param first wait before the first retry
     * @param longest maximum wait, also for a server's {@code Retry-After}
     */
    public record Policy(int retries, Duration first, Duration longest) {
        public Policy {
            Rule.require(retries >= 0, "retries", retries, "at least 0");
            Rule.require(!first.isNegative(), "first wait", first, "at least 0");
            Rule.require(longest.compareTo(first) >= 0, "longest wait", longest, "at least the first, " + first);
        }

        /**
         * Returns the wait before a retry.
         *
         * @param attempt number of previous retries without progress, from 0
         * @param retryAfter wait that the server requests, or null
         */
        public Duration wait(int attempt, @Nullable Duration retryAfter, RandomGenerator random) {
            if (retryAfter != null) {
                return retryAfter;
            }
            double full = Math.min((double) longest.toMillis(), first.toMillis() * Math.pow(2, attempt));
            return Duration.ofMillis(Math.round(full * (0.5 + random.nextDouble() / 2)));
        }
    }

    /** An operation that may be retried. */
    @FunctionalInterface
    public interface Attempt<T> {
        T run() throws IOException, InterruptedException;
    }

    public Retrier(Policy policy) {
        this(policy, wait -> Thread.sleep(wait.toMillis()));
    }

    /** @param pause replaces sleeping in tests */
    public Retrier(Policy policy, FailableConsumer<Duration, InterruptedException> pause) {
        this.policy = policy;
        this.pause = pause;
    }

    /** Runs an operation that reports no progress. */
    public <T> T run(Attempt<T> attempt) throws IOException, InterruptedException {
        return run(attempt, () -> 0);
    }

    /**
     * Runs an operation until an attempt succeeds.
     *
     * @param progress grows when an attempt gets further than all before it; this resets the count of retries
     * @throws IOException the last failure, after the last retry or if {@code Retry-After} exceeds the policy's longest wait
     */
    public <T> T run(Attempt<T> attempt, LongSupplier progress) throws IOException, InterruptedException {
        int failed = 0;
        while (true) {
            long before = progress.getAsLong();
            try {
                return attempt.run();
            } catch (IOException e) {
                failed = progress.getAsLong() > before ? 0 : failed;
                Duration retryAfter = e instanceof BusyException busy ? busy.retryAfter() : null;
                if (failed >= policy.retries() || isTooLong(retryAfter)) {
                    throw e;
                }
                Duration wait = policy.wait(failed, retryAfter, random);
                LOG.warn("{}; trying again in {} s", reason(e), wait.toMillis() / 1000.0);
                pause.accept(wait);
                failed++;
            }
        }
    }

    private boolean isTooLong(@Nullable Duration retryAfter) {
        return retryAfter != null && retryAfter.compareTo(policy.longest()) > 0;
    }

    /** Returns why an exchange failed, also where the JDK's exception has no message. */
    public static String reason(IOException failure) {
        if (ExceptionUtils.indexOfType(failure, EOFException.class) >= 0) {
            return "the connection was closed before the end of the answer";
        }
        String otherwise = failure instanceof ConnectException
                ? "the connection is refused"
                : failure.getClass().getSimpleName();
        return StringUtils.defaultIfEmpty(failure.getMessage(), otherwise);
    }
}
