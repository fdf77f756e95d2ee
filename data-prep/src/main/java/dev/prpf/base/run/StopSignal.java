package dev.prpf.base.run;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.RunInterruptedException;
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
 * A flag that SIGTERM, SIGINT, SIGUSR1 and SIGHUP set (the last one unless the process began with it ignored, as under {@code nohup}), so that a loop can save at its next step and leave with 75. A second signal ends the
 * process as if nothing had been installed; one within two seconds counts as the first, since a child gets twice what a terminal or a
 * scheduler sends to every process: from there, and from its parent.
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

    /** Takes the signals until {@link #close()}. */
    public static StopSignal install() {
        return install("leaving with 75 at the next step, after saving", ExitCode.CHECKPOINTED);
    }

    /** The same for a server, whose work ends by a signal and with 0. */
    public static StopSignal installForServer() {
        return install("draining", ExitCode.DONE);
    }

    private static StopSignal install(String then, ExitCode onSecond) {
        StopSignal signal = new StopSignal(then, onSecond);
        NAMES.forEach(name -> signal.replaced.put(name, Signals.register(name, () -> signal.came(name))));
        return signal;
    }

    /** Whether a signal came. */
    public boolean requested() {
        return requested.get();
    }

    /** Sets the flag as a signal would. */
    public void request() {
        isSecond(System.nanoTime());
    }

    /**
     * For work that saves nothing on its way; looked at between its steps.
     *
     * @throws PrpfException 75 once a signal came
     */
    public void requireNone() {
        if (requested()) {
            throw new RunInterruptedException(
                    "stopped by a signal before there was a result, and nothing is kept of it; run the same command"
                            + " again");
        }
    }

    /** What a loop throws after it saved. */
    public static PrpfException checkpointed(long step, Object runDirectory) {
        return new RunInterruptedException("stopped by a signal after step " + step + ", saved in " + runDirectory
                + "; to go on run the same command again with --run-dir " + runDirectory);
    }

    /** Returns the exception for a loop that saved where its command line says: the same command resumes it. */
    public static PrpfException savedIn(long done, Object place) {
        return new RunInterruptedException("stopped by a signal after step " + done + ", saved in " + place
                + "; to go on run the same command again");
    }

    private void came(String name) {
        if (!requested()) {
            LOG.warn("SIG{}: {} (a second signal leaves at once)", name, then);
        }
        if (isSecond(System.nanoTime())) {
            Runtime.getRuntime().halt(onSecond.status());
        }
    }

    /** Takes a signal that came at this time; whether it is another than the one that set the flag. */
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
