package dev.prpf.cli.tracking;

import dev.prpf.base.command.RunOptions.TrackOption;
import dev.prpf.base.command.RunOptions.TrackOption.Tracker;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.RunListener;
import dev.prpf.base.workflow.Stage;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.commons.lang3.concurrent.BasicThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the runs that this process writes to trackers, on a separate thread; does nothing before {@link #begin}. */
public final class Tracking implements RunListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Tracking.class);
    private static final long PERIOD = 3_000;

    private final Map<String, String> environment;
    private final long period;
    private final Map<Tracker, Sender> senders = new EnumMap<>(Tracker.class);
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            BasicThreadFactory.builder().namingPattern("tracking").daemon(true).build());

    /** @param environment variables of the process, which name the MLflow server */
    public Tracking(Map<String, String> environment) {
        this(environment, PERIOD);
    }

    /** @param period between two uploads, ms */
    Tracking(Map<String, String> environment, long period) {
        this.environment = environment;
        this.period = period;
    }

    /**
     * Adds trackers; runs that are opened from now on are sent to them.
     *
     * @throws PrpfException 78 if the environment does not name the address of a tracker
     */
    public synchronized void begin(Set<Tracker> trackers) {
        for (Tracker tracker : trackers) {
            if (!senders.containsKey(tracker)) {
                Sender sender = new Sender(EnumName.of(tracker), factory(tracker, environment));
                senders.put(tracker, sender);
                ScheduledFuture<?> unused =
                        thread.scheduleWithFixedDelay(sender::pass, period, period, TimeUnit.MILLISECONDS);
            }
        }
        if (!trackers.isEmpty()) {
            TrackOption.handOn(senders.keySet());
            RunDirectory.setListener(this);
        }
    }

    /** @throws PrpfException 78 if the environment does not name its address */
    static RunTracker.Factory factory(Tracker tracker, Map<String, String> environment) {
        return switch (tracker) {
            case MLFLOW -> new MlflowRuns(MlflowEnvironment.of(environment));
            case TENSORBOARD -> TensorBoardTracker::new;
        };
    }

    @Override
    public synchronized void opened(Path run) {
        senders.values().forEach(sender -> {
            sender.note(run, tracked -> {});
            thread.execute(sender::pass);
        });
    }

    @Override
    public synchronized void appended(Path run) {
        senders.values().forEach(sender -> sender.note(run, tracked -> tracked.readable = true));
    }

    @Override
    public synchronized void closed(Path run) {
        senders.values().forEach(sender -> sender.note(run, tracked -> tracked.closed = true));
    }

    /** Sends the remaining lines and logs the runs with unsent ones. Waits for a tracker without an answer until its requests time out. */
    @Override
    public void close() {
        if (!senders.isEmpty()) {
            RunDirectory.setListener(null);
            senders.values().forEach(sender -> thread.execute(sender::finish));
            TrackOption.handOn(Set.of());
        }
        thread.shutdown();
        try {
            thread.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends the runs of this process to one tracker. Writing threads note changes; the tracking thread does the rest. */
    private static final class Sender {
        private final String name;
        private final RunTracker.Factory factory;
        /** Sorted by path, so that a run comes before the runs in its folder. */
        private final Map<Path, TrackedRun> runs = new TreeMap<>();

        private @Nullable String trouble;

        Sender(String name, RunTracker.Factory factory) {
            this.name = name;
            this.factory = factory;
        }

        synchronized void note(Path run, Consumer<TrackedRun> change) {
            change.accept(runs.computeIfAbsent(run, path -> new TrackedRun(path, factory)));
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
                String folder = run.directory().toString();
                LOG.warn(
                        "{}: lines remain that were not sent to {}; to send them: ./prpf runs track {} --to {}",
                        folder,
                        name,
                        Stage.quoted(folder),
                        name);
                run.close();
            }
            factory.close();
        }
    }

    /**
     * Uploads one run to a tracker, from one thread. Methods throw a {@link PrpfException} and may be called again: 69 if the tracker cannot be
     * reached, another code if the fault is in this run.
     */
    interface RunTracker extends AutoCloseable {
        /** Returns the number of lines of {@code metrics.jsonl} that this and earlier processes have sent. */
        int sent();

        /** Sends the lines after the first {@link #sent()}. */
        void send(List<MetricLine> lines);

        /** Sends the run's state, figures and documents. */
        void finish(RunFacts run);

        /** Returns the address or folder that shows the run. */
        String place();

        @Override
        default void close() {}

        @FunctionalInterface
        interface Factory extends AutoCloseable {
            /** Opens a run for this folder, or the one that earlier uploads of the folder created. */
            RunTracker open(Path run);

            @Override
            default void close() {}
        }
    }
}
