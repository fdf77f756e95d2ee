package dev.prpf.base.http;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tries again what failed with an {@link IOException}; anything else that is thrown is final. Used by several threads at once. */
public final class Retrier {
    private static final Logger LOG = LoggerFactory.getLogger(Retrier.class);

    private final RetryPolicy policy;
    private final Pause pause;
    private final RandomGenerator random = new Random();

    /** Waits. */
    @FunctionalInterface
    public interface Pause {
        void sleep(Duration wait) throws InterruptedException;
    }

    /** One attempt. */
    @FunctionalInterface
    public interface Attempt<T> {
        T run() throws IOException, InterruptedException;
    }

    public Retrier(RetryPolicy policy) {
        this(policy, wait -> Thread.sleep(wait.toMillis()));
    }

    /** @param pause in the place of sleeping, for tests */
    public Retrier(RetryPolicy policy, Pause pause) {
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
                Duration asked = e instanceof BusyException busy ? busy.retryAfter() : null;
                if (failed >= policy.retries() || isTooLong(asked)) {
                    throw e;
                }
                Duration wait = policy.wait(failed, asked, random);
                LOG.warn("{}; trying again in {} s", reason(e), wait.toMillis() / 1000.0);
                pause.sleep(wait);
                failed++;
            }
        }
    }

    private boolean isTooLong(@Nullable Duration asked) {
        return asked != null && asked.compareTo(policy.longest()) > 0;
    }

    /** Why an exchange failed, in words where the JDK gives none. */
    public static String reason(IOException failure) {
        String message = failure.getMessage();
        if (failure instanceof ConnectException) {
            return message == null || message.isEmpty() ? "the connection is refused" : message;
        }
        return message == null ? failure.getClass().getSimpleName() : message;
    }
}
