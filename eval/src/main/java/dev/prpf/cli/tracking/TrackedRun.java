package dev.prpf.cli.tracking;

import dev.prpf.base.run.RunOverview.State;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run on its way to one tracker. The thread that writes the run sets its flags; the sending thread does the rest. */
final class TrackedRun implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TrackedRun.class);

    private final Path directory;
    private final RunTracker.Factory factory;
    /** The metrics are not rewound any more. */
    volatile boolean readable;
    /** The run was closed, and the tracker does not know that yet. */
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
     * Sends what is new.
     *
     * @param known state of the run; null as its own files say
     * @return whether the run was closed and all of it is sent
     * @throws dev.prpf.base.error.PrpfException if the tracker cannot take it now; the next call begins where this one failed
     */
    boolean sync(@Nullable State known) {
        boolean ends = closed;
        if (ends) {
            closed = false; // before reading, so that a close from now on is seen by the next call
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
            lines = new MetricFile(directory); // a block was read and not sent
            throw e;
        }
    }

    /** The run at the tracker, opened if it is not yet. */
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
