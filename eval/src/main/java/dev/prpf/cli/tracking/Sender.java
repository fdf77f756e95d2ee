package dev.prpf.cli.tracking;

import dev.prpf.base.command.RunOptions.TrackOption.Tracker;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.workflow.Stage;
import dev.prpf.cli.tracking.Tracking.RunTracker;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the runs of this process to one tracker. Writing threads report changes; one thread calls {@link #pass} and {@link #finish}. */
final class Sender {
    private static final Logger LOG = LoggerFactory.getLogger(Sender.class);

    private final String name;
    private final RunTracker.Factory factory;
    /** Sorted by path, so that a run comes before the runs in its folder. */
    private final Map<Path, TrackedRun> runs = new TreeMap<>();

    private @Nullable String trouble;

    Sender(Tracker tracker, RunTracker.Factory factory) {
        this.name = EnumName.of(tracker);
        this.factory = factory;
    }

    synchronized void opened(Path run) {
        tracked(run);
    }

    synchronized void appended(Path run) {
        tracked(run).readable = true;
    }

    synchronized void closed(Path run) {
        tracked(run).closed = true;
    }

    private TrackedRun tracked(Path run) {
        return runs.computeIfAbsent(run, path -> new TrackedRun(path, factory));
    }

    private synchronized List<TrackedRun> all() {
        return List.copyOf(runs.values());
    }

    private synchronized void forgetIfSent(TrackedRun run) {
        if (!run.closed) {
            run.close();
            runs.remove(run.directory(), run);
        }
    }

    /** Sends the new lines of all runs. A failure is logged once, and the next pass tries again. */
    void pass() {
        String failure = null;
        for (TrackedRun run : all()) {
            try {
                if (run.sync(null)) {
                    forgetIfSent(run);
                }
            } catch (UnavailableException e) {
                failure = String.valueOf(e.getMessage());
                break; // the others would fail as well
            } catch (PrpfException e) {
                failure = String.valueOf(e.getMessage());
            } catch (RuntimeException e) {
                LOG.warn("tracking failed, which is a bug in prpf; the run continues", e);
                failure = e.toString();
            }
        }
        if (failure != null && !failure.equals(trouble)) {
            LOG.warn("{}: {}; the run continues, and unsent lines are sent later", name, failure);
        } else if (failure == null && trouble != null) {
            LOG.info("{}: uploads succeed again", name);
        }
        trouble = failure;
    }

    /** Makes the last pass and logs the runs with unsent lines. */
    void finish() {
        pass();
        for (TrackedRun run : all()) {
            Path folder = run.directory();
            LOG.warn(
                    "{}: lines remain that were not sent to {}; to send them: ./prpf runs track {} --to {}",
                    folder,
                    name,
                    Stage.quoted(folder.toString()),
                    name);
            run.close();
        }
        factory.close();
    }
}
