package dev.prpf.cli.tracking;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.RunOptions.TrackOption.Tracker;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.RunOverview;
import dev.prpf.cli.tracking.Tracking.RunTracker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements the command {@code prpf runs track}. */
@Command(
        name = "track",
        description = "Send runs to a tracker: the unsent lines of a run with --track, or a run without it.",
        footer = {
            "  MLFLOW_TRACKING_URI=http://localhost:5000 ./prpf runs track runs/gate --to mlflow",
            "  ./prpf runs track runs/gate runs/reasoner --to tensorboard"
        })
public final class TrackCommand implements Runnable {
    private final Map<String, String> environment;

    @Parameters(arity = "1..*", paramLabel = "RUN", description = "A run's folder, or one with runs in it.")
    private List<Path> folders = List.of();

    @Option(
            names = "--to",
            required = true,
            paramLabel = "TRACKER",
            converter = Tracker.Converter.class,
            description = "mlflow or tensorboard.")
    private Tracker tracker;

    @Mixin
    private JsonOption output = new JsonOption();

    public TrackCommand() {
        this(System.getenv());
    }

    TrackCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    /**
     * A run that was sent.
     *
     * @param lines of metrics sent now
     * @param place address or folder that shows the run
     */
    record Line(String run, String state, int lines, String place) {}

    record Listing(String to, List<Line> runs) {}

    @Override
    public void run() {
        List<RunOverview> runs =
                folders.stream().flatMap(folder -> runs(folder).stream()).toList();
        List<Line> lines = new ArrayList<>();
        try (RunTracker.Factory factory = Tracking.factory(tracker, environment)) {
            for (RunOverview run : runs) {
                lines.add(send(run, factory));
            }
        }
        output.printLines(new Listing(EnumName.of(tracker), lines), () -> lines.stream()
                .map(line -> line.run() + ": " + line.state() + ", " + line.lines() + " lines of metrics sent, see "
                        + line.place())
                .toList());
    }

    /** Returns outer runs before the runs nested in them. */
    private static List<RunOverview> runs(Path folder) {
        List<RunOverview> runs = RunOverview.below(folder);
        if (runs.isEmpty()) {
            throw new InvalidDataException(folder + ": holds no run; give the folder of one, with its run.json");
        }
        runs.stream()
                .filter(run -> run.state() == RunOverview.State.BROKEN)
                .findFirst()
                .ifPresent(broken -> {
                    throw new InvalidDataException(broken.directory() + ": " + broken.problem());
                });
        return runs;
    }

    private static Line send(RunOverview run, RunTracker.Factory factory) {
        try (TrackedRun tracked = new TrackedRun(run.directory(), factory)) {
            tracked.closed = true;
            tracked.sync(run.state());
            return new Line(
                    run.directory().toString(),
                    run.state().name().toLowerCase(Locale.ROOT),
                    tracked.sent(),
                    tracked.opened().place());
        }
    }
}
