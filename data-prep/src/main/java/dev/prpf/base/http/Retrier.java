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

/** Tries again what failed with an {@link IOException}; anything else that is thrown is final. Used by several threads at once. */
public final class Retrier {
    private static final Logger LOG = LoggerFactory.getLogger(Retrier.class);

    private final Policy policy;
    private final FailableConsumer<Duration, InterruptedException> pause;
    private final RandomGenerator random = new Random();

    /**
     * How often to try again and how long to wait before. Without a word of the server the wait doubles from {@code first} up to {@code
     * longest}, and a random half of it is left out, so that clients that failed together do not come back together.
     *
     * @param retries further attempts without progress after a first one
     * @param first wait before the first of them
     * @param longest wait at most, and at most what a server's {@code Retry-After} may ask for
     */
    public record Policy(int retries, Duration first, Duration longest) {
        public Policy {
            Rule.require(retries >= 0, "retries", retries, "at least 0");
            Rule.require(!first.isNegative(), "first wait", first, "at least 0");
            Rule.require(longest.compareTo(first) >= 0, "longest wait", longest, "at least the first, " + first);
        }

        /**
         * The wait before a further attempt.
         *
         * @param attempt how many went before without progress, from 0
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

    /** One attempt. */
    @FunctionalInterface
    public interface Attempt<T> {
        T run() throws IOException, InterruptedException;
    }

    public Retrier(Policy policy) {
        this(policy, wait -> Thread.sleep(wait.toMillis()));
    }

    /** @param pause in the place of sleeping, for tests */
    public Retrier(Policy policy, FailableConsumer<Duration, InterruptedException> pause) {
        this.policy = policy;
        this.pause = pause;
    }

    /** {@link #run(Attempt, LongSupplier)} of something that knows no progress. */
    public <T> T run(Attempt<T> attempt) throws IOException, InterruptedException {
        return run(attempt, () -> 0);
    }

    /**
     * Runs until an attempt comes through.
     *
     * @param progress grows when an attempt got further than all before it; the count of attempts then begins anew
     * @throws IOException the last failure, after the last attempt or when a server asks to wait longer than the policy does
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

    /** Why an exchange failed, in words where the JDK gives none. */
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
