package dev.prpf.cli.tracking;

import dev.prpf.base.command.Tracker;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the runs of this process to one tracker, on a thread of its own, behind the writing: nothing here is waited for before {@link
 * #finish()}. A tracker that fails is told of once and tried again after waits that double.
 */
final class Sender {
    private static final Logger LOG = LoggerFactory.getLogger(Sender.class);

    private final Tracker name;
    private final RunTracker.Factory factory;
    private final Pace pace;
    private final Map<Path, TrackedRun> runs = new LinkedHashMap<>();
    private final AtomicLong progress = new AtomicLong();
    private final Thread thread;
    private boolean changed;
    private boolean ending;
    private volatile @Nullable String trouble;

    /**
     * @param between two passes over the runs, at least
     * @param longest wait after a failure
     * @param patience at the end, without anything taken
     */
    record Pace(Duration between, Duration longest, Duration patience) {
        static final Pace USUAL = new Pace(Duration.ofSeconds(3), Duration.ofMinutes(1), Duration.ofSeconds(15));
    }

    Sender(Tracker name, RunTracker.Factory factory, Pace pace) {
        this.name = name;
        this.factory = factory;
        this.pace = pace;
        thread = new Thread(this::work, "tracking-" + EnumName.of(name));
        thread.setDaemon(true);
        thread.start();
    }

    synchronized void opened(Path directory) {
        run(directory);
    }

    synchronized void appended(Path directory) {
        run(directory).readable();
    }

    synchronized void left(Path directory) {
        run(directory).left();
    }

    private TrackedRun run(Path directory) {
        changed = true;
        notifyAll();
        return runs.computeIfAbsent(directory, path -> new TrackedRun(path, factory));
    }

    private void work() {
        Duration wait = Duration.ZERO;
        while (!await(wait)) {
            Duration twice = wait.multipliedBy(2);
            if (pass()) {
                wait = pace.between();
            } else {
                wait = twice.isZero() ? pace.between() : twice.compareTo(pace.longest()) < 0 ? twice : pace.longest();
                again();
            }
        }
        pass();
    }

    /** Waits for the time, then for a change; not longer than to the end, which it returns. */
    private synchronized boolean await(Duration wait) {
        long until = System.nanoTime() + wait.toNanos();
        try {
            for (long left = wait.toNanos(); !ending && left > 0; left = until - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            while (!ending && !changed) {
                wait();
            }
        } catch (InterruptedException e) {
            ending = true;
        }
        changed = false;
        return ending;
    }

    private synchronized void again() {
        changed = true;
    }

    private synchronized List<TrackedRun> all() {
        return new ArrayList<>(runs.values());
    }

    private synchronized void forget(TrackedRun run) {
        if (run.told()) {
            runs.remove(run.directory(), run);
        }
    }

    /** Whether all was sent that was there. */
    private boolean pass() {
        String failure = null;
        for (TrackedRun run : all()) {
            try {
                if (run.sync(null, progress::incrementAndGet)) {
                    forget(run);
                }
            } catch (PrpfException e) {
                failure = String.valueOf(e.getMessage());
                if (e instanceof UnavailableException) {
                    break; // the others would fail as well, and a run within waits for the one it lies in
                }
            } catch (RuntimeException e) {
                LOG.warn("tracking failed, which is a bug in prpf; the run goes on", e);
                failure = e.toString();
            }
        }
        tell(failure);
        return failure == null;
    }

    private void tell(@Nullable String failure) {
        if (failure != null && !failure.equals(trouble)) {
            LOG.warn("{}: {}; the run goes on, and what is missing is sent later", EnumName.of(name), failure);
        } else if (failure == null && trouble != null) {
            LOG.info("{}: all is sent again", EnumName.of(name));
        }
        trouble = failure;
    }

    /** Sends the rest, as long as some of it is taken, and names what was not. */
    void finish() {
        synchronized (this) {
            ending = true;
            notifyAll();
        }
        try {
            long seen;
            do {
                seen = progress.get();
                thread.join(pace.patience().toMillis());
            } while (thread.isAlive() && progress.get() != seen);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String to = EnumName.of(name);
        for (TrackedRun run : all()) {
            LOG.warn(
                    "{}: not all was sent to {}; to send the rest: ./prpf runs track {} --to {}",
                    run.directory(),
                    to,
                    run.directory(),
                    to);
        }
        if (!thread.isAlive()) {
            all().forEach(TrackedRun::close);
        }
        factory.close();
    }
}
