package dev.prpf.cli.tracking;

import dev.prpf.base.command.RunOptions.TrackOption;
import dev.prpf.base.command.RunOptions.TrackOption.Tracker;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.RunListener;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.commons.lang3.concurrent.BasicThreadFactory;

/** Sends the runs that this process writes to trackers, on a separate thread; does nothing before {@link #begin}. */
public final class Tracking implements RunListener, AutoCloseable {
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
                Sender sender = new Sender(tracker, factory(tracker, environment));
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
        for (Sender sender : senders.values()) {
            sender.opened(run);
            thread.execute(sender::pass);
        }
    }

    @Override
    public synchronized void appended(Path run) {
        senders.values().forEach(sender -> sender.appended(run));
    }

    @Override
    public synchronized void closed(Path run) {
        senders.values().forEach(sender -> sender.closed(run));
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
