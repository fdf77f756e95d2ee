package dev.prpf.cli.tracking;

import dev.prpf.base.command.Tracker;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.RunDirectory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;

/**
 * A run's event files, {@code RUN/tensorboard/}, one for each process that wrote some. What a
 * process that was killed wrote and did not note is dropped by TensorBoard, and written again.
 */
final class TensorBoardTracker implements RunTracker {
    private static final String FOLDER = "tensorboard";
    private static final State NOTHING = new State(Sent.NONE, "");

    private final Path directory;
    private final TrackingState<State> kept;
    private State state;
    private @Nullable EventFile events;

    /**
     * What the run's folder keeps.
     *
     * @param sent how far the metrics were written
     * @param figures SHA-256 of the figures that were written; empty before
     */
    record State(Sent sent, String figures) {}

    TensorBoardTracker(Path directory) {
        this.directory = directory;
        this.kept = new TrackingState<>(directory, Tracker.TENSORBOARD, State.class);
        State before;
        try {
            before = kept.read();
        } catch (RuntimeException e) {
            kept.close();
            throw e;
        }
        this.state = before == null ? NOTHING : before;
    }

    @Override
    public Sent sent() {
        return state.sent();
    }

    @Override
    public void send(List<MetricLine> lines) {
        EventFile to = events(lines.get(0).place().step());
        for (MetricLine line : lines) {
            to.scalars(line.place().step(), line.values());
        }
        keep(to, new State(lines.get(lines.size() - 1).place(), state.figures()));
    }

    /** @param step the first one that will be written */
    private EventFile events(long step) {
        EventFile open = events;
        if (open == null) {
            open = EventFile.create(directory.resolve(FOLDER));
            if (state.equals(NOTHING)) {
                describe(open, step);
            } else {
                open.startAt(state.sent().step() + 1);
            }
            events = open;
        }
        return open;
    }

    private void describe(EventFile to, long step) {
        RunFacts facts = RunFacts.read(directory, null);
        to.text(step, RunDirectory.RUN, "```json\n" + facts.json().toPrettyString() + "\n```");
        to.text(step, RunDirectory.CONFIG, "```yaml\n" + facts.config() + "```");
    }

    private void keep(EventFile to, State now) {
        to.flush();
        kept.write(now);
        state = now;
    }

    @Override
    public void finish(RunFacts run) {
        Map<String, Double> figures = run.figures();
        String sum = DigestUtils.sha256Hex(JsonRecords.write(figures));
        if (!figures.isEmpty() && !sum.equals(state.figures())) {
            long step = Math.max(0, state.sent().step());
            EventFile to = events(step);
            to.scalars(step, figures);
            keep(to, new State(state.sent(), sum));
        }
    }

    @Override
    public String place() {
        return directory.resolve(FOLDER).toString();
    }

    @Override
    public void close() {
        try {
            if (events != null) {
                events.close();
            }
        } finally {
            kept.close();
        }
    }
}
