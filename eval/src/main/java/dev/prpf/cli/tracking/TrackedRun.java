package dev.prpf.cli.tracking;

import dev.prpf.base.run.RunOverview.State;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run on its way to one tracker. Its flags are set by the thread that writes it, all else is the sending thread's. */
final class TrackedRun {
    private static final Logger LOG = LoggerFactory.getLogger(TrackedRun.class);

    private final Path directory;
    private final RunTracker.Factory factory;
    private volatile boolean readable;
    private volatile boolean left;
    private volatile @Nullable String place;
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

    /** Its metrics may be read: they are not rewound any more. */
    void readable() {
        readable = true;
    }

    /** It was left, and how has to be told. */
    void left() {
        left = true;
    }

    /** Whether there is no news of how it was left. */
    boolean told() {
        return !left;
    }

    /** Lines sent by this process. */
    int sent() {
        return sent;
    }

    /** Where a person sees it; null before the tracker took it. */
    @Nullable
    String place() {
        return place;
    }

    /**
     * Sends what is new.
     *
     * @param known what became of the run, null as its own files say
     * @param progress is told of everything that was taken
     * @return whether it was told, too, how the run was left: nothing more comes of it
     * @throws dev.prpf.base.error.PrpfException if the tracker cannot take it now; the next attempt begins where this one failed
     */
    boolean sync(@Nullable State known, Runnable progress) {
        boolean ends = left; // what was written before is sent before
        try {
            RunTracker to = opened();
            if (readable || ends) {
                for (List<MetricLine> next = lines.next(to.sent()); !next.isEmpty(); next = lines.next(to.sent())) {
                    to.send(next);
                    sent += next.size();
                    progress.run();
                }
            }
            if (ends) {
                left = false;
                finish(to, known);
                progress.run();
            }
            return ends;
        } catch (RuntimeException e) {
            if (ends) {
                left = true;
            }
            lines = new MetricFile(directory); // a block was read and not sent
            throw e;
        }
    }

    private RunTracker opened() {
        RunTracker open = tracker;
        if (open == null) {
            open = factory.open(directory);
            tracker = open;
            place = open.place();
            LOG.info("{} is sent to {}", directory, place);
        }
        return open;
    }

    private void finish(RunTracker to, @Nullable State known) {
        to.finish(RunFacts.read(directory, known));
        close();
    }

    void close() {
        if (tracker != null) {
            tracker.close();
            tracker = null;
        }
    }
}
