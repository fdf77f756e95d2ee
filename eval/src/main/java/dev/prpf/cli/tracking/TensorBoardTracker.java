package dev.prpf.cli.tracking;

import dev.prpf.base.run.RunDirectory;
import dev.prpf.cli.tracking.Tracking.RunTracker;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Writes a run as an event file in {@code RUN/tensorboard/}. The file holds the whole run and replaces the values of earlier files. */
final class TensorBoardTracker implements RunTracker {
    private final Path folder;
    private final EventFile events;
    private long step;
    private int sent;

    TensorBoardTracker(Path directory) {
        RunFacts facts = RunFacts.read(directory, null);
        folder = directory.resolve("tensorboard");
        events = new EventFile(folder);
        events.startAt(0);
        events.text(0, RunDirectory.RUN, "```json\n" + facts.json().toPrettyString() + "\n```");
        events.text(0, RunDirectory.CONFIG, "```yaml\n" + facts.config() + "```");
    }

    @Override
    public int sent() {
        return sent;
    }

    @Override
    public void send(List<MetricLine> lines) {
        for (MetricLine line : lines) {
            events.scalars(line.step(), line.values());
            step = line.step();
        }
        events.flush();
        sent += lines.size();
    }

    @Override
    public void finish(RunFacts run) {
        Map<String, Double> figures = run.figures();
        if (!figures.isEmpty()) {
            events.scalars(step, figures);
        }
        events.flush();
    }

    @Override
    public String place() {
        return folder.toString();
    }

    @Override
    public void close() {
        events.close();
    }
}
