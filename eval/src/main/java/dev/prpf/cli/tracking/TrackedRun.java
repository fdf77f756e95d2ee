package dev.prpf.cli.tracking;

import dev.prpf.base.run.RunOverview.State;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Uploads a run to one tracker. The thread that writes the run sets the flags; the sending thread does the rest. */
final class TrackedRun implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TrackedRun.class);

    private final Path directory;
    private final RunTracker.Factory factory;
    /** Set once the metrics are no longer rewound. */
    volatile boolean readable;
    /** Set when the run is closed, until the tracker has been notified. */
    volatile boolean closed;

    private MetricFile lines;
    private @Nullable RunTracker tracker;
    private int sent;

    TrackedRun(Path directory, RunTracker.Factory factory) {
        this.directory = directory;
        this.factory = factory;
        this.lines = new MetricFile(directory);
    }

    Path directory() {
        return directory;
    }

    /** Lines sent by this process. */
    int sent() {
        return sent;
    }

    /**
     * Sends the new lines.
     *
     * @param known state of the run; null to take that of its files
     * @return whether the run is closed and sent completely
     * @throws dev.prpf.base.error.PrpfException if the tracker fails; the next call sends the unsent lines again
     */
    boolean sync(@Nullable State known) {
        boolean ends = closed;
        if (ends) {
            closed = false; // before reading, so that the next call sees a later close
        }
        try {
            RunTracker to = opened();
            if (readable || ends) {
                for (List<MetricLine> next = lines.next(to.sent()); !next.isEmpty(); next = lines.next(to.sent())) {
                    to.send(next);
                    sent += next.size();
                }
            }
            if (ends) {
                to.finish(RunFacts.read(directory, known));
            }
            return ends;
        } catch (RuntimeException e) {
            closed |= ends;
            lines = new MetricFile(directory); // reads the unsent block again
            throw e;
        }
    }

    /** Returns the run at the tracker, which the first call opens. */
    RunTracker opened() {
        RunTracker open = tracker;
        if (open == null) {
            open = factory.open(directory);
            tracker = open;
            LOG.info("{} is sent to {}", directory, open.place());
        }
        return open;
    }

    @Override
    public void close() {
        if (tracker != null) {
            tracker.close();
            tracker = null;
        }
    }
}
