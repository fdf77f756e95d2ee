package dev.prpf.base.run;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jline.utils.Signals;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A flag set by SIGTERM, SIGINT, SIGUSR1 and SIGHUP, so that a loop can save at its next step and exit with 75. SIGHUP is ignored
 * under {@code nohup}. A second signal ends the process at once. A signal within two seconds of the first is ignored: a child
 * receives it from the terminal or scheduler and from its parent.
 */
public final class StopSignal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StopSignal.class);
    private static final long SAME_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final List<String> NAMES = List.of("TERM", "INT", "USR1", "HUP");

    private final String then;
    private final ExitCode onSecond;
    private final AtomicBoolean requested = new AtomicBoolean();
    private long first;
    private final Map<String, @Nullable Object> replaced = new HashMap<>();

    private StopSignal(String then, ExitCode onSecond) {
        this.then = then;
        this.onSecond = onSecond;
    }

    /** Handles the signals until {@link #close()}. */
    public static StopSignal install() {
        return install("saving at the next step, then exiting with 75", ExitCode.CHECKPOINTED);
    }

    /** Handles the signals for a server, which exits with 0 after a signal. */
    public static StopSignal installForServer() {
        return install("draining", ExitCode.DONE);
    }

    private static StopSignal install(String then, ExitCode onSecond) {
        StopSignal signal = new StopSignal(then, onSecond);
        NAMES.forEach(name -> signal.replaced.put(name, Signals.register(name, () -> signal.received(name))));
        return signal;
    }

    public boolean requested() {
        return requested.get();
    }

    /** Sets the flag like a signal. */
    public void request() {
        isSecond(System.nanoTime());
    }

    /**
     * Checks for a signal between the steps of work that saves no intermediate results.
     *
     * @throws PrpfException 75 after a signal
     */
    public void requireNone() {
        if (requested()) {
            throw new RunInterruptedException(
                    "stopped by a signal before there was a result, and nothing was saved; run the same command"
                            + " again");
        }
    }

    /** Returns the exception for a loop that saved a checkpoint. */
    public static PrpfException checkpointed(long step, Object runDirectory) {
        return new RunInterruptedException("stopped by a signal after step " + step + ", saved in " + runDirectory
                + "; to resume, run the same command again with --run-dir " + runDirectory);
    }

    /** Returns the exception for a loop that saved to a path of its command line; the same command resumes it. */
    public static PrpfException savedIn(long done, Object place) {
        return new RunInterruptedException("stopped by a signal after step " + done + ", saved in " + place
                + "; to resume, run the same command again");
    }

    private void received(String name) {
        if (!requested()) {
            LOG.warn("SIG{}: {} (a second signal exits at once)", name, then);
        }
        if (isSecond(System.nanoTime())) {
            Runtime.getRuntime().halt(onSecond.status());
        }
    }

    /** Handles a signal at this time; returns whether it is a second one. */
    synchronized boolean isSecond(long nanos) {
        if (requested.compareAndSet(false, true)) {
            first = nanos;
        }
        return nanos - first > SAME_NANOS;
    }

    @Override
    public void close() {
        replaced.forEach(Signals::unregister);
        replaced.clear();
    }
}
