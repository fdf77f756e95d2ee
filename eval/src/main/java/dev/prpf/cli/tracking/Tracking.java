package dev.prpf.cli.tracking;

import dev.prpf.base.command.TrackOption;
import dev.prpf.base.command.Tracker;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunListener;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/** Sends the runs that this process writes to the trackers it was asked for; does nothing before {@link #begin}. */
public final class Tracking implements RunListener, AutoCloseable {
    private final Map<String, String> environment;
    private final Sender.Pace pace;
    private final Map<Tracker, Sender> senders = new EnumMap<>(Tracker.class);

    /** @param environment of the process, which says where MLflow is */
    public Tracking(Map<String, String> environment) {
        this(environment, Sender.Pace.USUAL);
    }

    Tracking(Map<String, String> environment, Sender.Pace pace) {
        this.environment = environment;
        this.pace = pace;
    }

    /**
     * Begins with these trackers, beside those that were begun with; runs that are opened from now on are sent.
     *
     * @throws PrpfException 78 if the environment does not say where one of them is
     */
    public synchronized void begin(Set<Tracker> trackers) {
        for (Tracker tracker : trackers) {
            if (!senders.containsKey(tracker)) {
                senders.put(tracker, new Sender(tracker, factory(tracker, environment), pace));
            }
        }
        if (!trackers.isEmpty()) {
            TrackOption.handOn(senders.keySet());
            RunDirectory.heardBy(this);
        }
    }

    /** @throws PrpfException 78 if the environment does not say where it is */
    static RunTracker.Factory factory(Tracker tracker, Map<String, String> environment) {
        return switch (tracker) {
            case MLFLOW -> new MlflowRuns(MlflowEnvironment.of(environment));
            case TENSORBOARD -> TensorBoardTracker::new;
        };
    }

    @Override
    public synchronized void opened(Path run) {
        senders.values().forEach(sender -> sender.opened(run));
    }

    @Override
    public synchronized void appended(Path run) {
        senders.values().forEach(sender -> sender.appended(run));
    }

    @Override
    public synchronized void closed(Path run) {
        senders.values().forEach(sender -> sender.left(run));
    }

    /** Sends what is left, waits as long as some of it is taken, and says what was not. */
    @Override
    public void close() {
        if (!senders.isEmpty()) {
            RunDirectory.heardBy(null);
            senders.values().forEach(Sender::finish);
            senders.clear();
            TrackOption.handOn(Set.of());
        }
    }
}
