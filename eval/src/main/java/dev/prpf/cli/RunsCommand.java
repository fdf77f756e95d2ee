package dev.prpf.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.RunOverview;
import dev.prpf.base.run.RunOverview.State;
import dev.prpf.base.workflow.InThisProcess;
import dev.prpf.base.workflow.ParsedCommand;
import dev.prpf.cli.tracking.TrackCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements the command {@code prpf runs}. */
@Command(
        name = "runs",
        description =
                "Every run below a folder: its command, state, step, last metrics and the command that resumes it.",
        footer = {
            "  ./prpf runs",
            "  ./prpf runs --follow",
            "  ./prpf runs /data/experiments --json",
            "  ./prpf runs compare runs/a runs/b"
        },
        subcommands = {RunsCompareCommand.class, TrackCommand.class})
final class RunsCommand implements Runnable {
    private static final Path DEFAULT = Path.of("runs");
    private static final String RUNNING = State.RUNNING.name().toLowerCase(Locale.ROOT);
    private static final Duration LOOK = Duration.ofSeconds(5);

    @Parameters(arity = "0..1", paramLabel = "DIR", description = "Folder to search for runs (default: runs).")
    private @Nullable Path folder;

    @Option(
            names = "--follow",
            description = "Look again every five seconds and print the runs that changed, until none runs.")
    private boolean follow;

    @Mixin
    private JsonOption output;

    @Spec
    private CommandSpec spec;

    /** A line of the list; step, metrics, resume and problem are null if absent. */
    record Line(
            String run,
            @Nullable String command,
            String state,
            @Nullable Long step,
            @Nullable JsonNode metrics,
            @Nullable String resume,
            @Nullable String problem) {
        private Stream<String> lines() {
            return Stream.of(
                            run + ": " + state + (command == null ? "" : ", " + command)
                                    + (step == null ? "" : ", step " + step),
                            metrics == null || metrics.isEmpty()
                                    ? null
                                    : "  last metrics: " + ResultStream.row(metrics),
                            problem == null ? null : "  problem: " + problem,
                            resume == null ? null : "  to resume: " + resume)
                    .filter(Objects::nonNull);
        }
    }

    /** The result that {@code --json} prints. */
    record Listing(String directory, List<Line> runs) {
        private List<String> lines() {
            return Stream.concat(runs.stream().flatMap(Line::lines), Stream.of(runs.size() + " runs in " + directory))
                    .toList();
        }
    }

    @Override
    public void run() {
        CommandLine tree = InThisProcess.of(spec).commandLine().get();
        Path root = Objects.requireNonNullElse(folder, DEFAULT);
        if (folder != null && !Files.isDirectory(folder)) {
            throw new UsageException(folder + ": is no folder; give the folder that holds the runs");
        }
        if (follow && output.json) {
            throw new UsageException("--follow has no JSON output; leave out --follow or --json");
        }
        Listing listing = listing(root, tree);
        output.printLines(listing, listing::lines);
        while (follow && listing.runs().stream().anyMatch(run -> run.state().equals(RUNNING))) {
            LockSupport.parkNanos(LOOK.toNanos());
            Listing now = listing(root, tree);
            Set<Line> before = Set.copyOf(listing.runs());
            now.runs().stream()
                    .filter(run -> !before.contains(run))
                    .flatMap(Line::lines)
                    .forEach(ResultStream::line);
            listing = now;
        }
    }

    private static Listing listing(Path root, CommandLine tree) {
        List<RunOverview> runs = Files.isDirectory(root) ? RunOverview.below(root) : List.of();
        return new Listing(
                root.toString(), runs.stream().map(run -> line(run, runs, tree)).toList());
    }

    private static Line line(RunOverview run, List<RunOverview> runs, CommandLine tree) {
        boolean goesOn = run.state() == State.INTERRUPTED || run.state() == State.FAILED;
        return new Line(
                run.directory().toString(),
                run.command(),
                run.state().name().toLowerCase(Locale.ROOT),
                run.step(),
                run.metrics(),
                goesOn ? ParsedCommand.resuming(tree, run.arguments(), whole(run, runs)) : null,
                run.problem());
    }

    /** Returns the outer run; trainings of several seeds or folds are runs inside the run of their command line. */
    private static Path whole(RunOverview run, List<RunOverview> runs) {
        return runs.stream()
                .filter(outer -> run.directory().startsWith(outer.directory()))
                .filter(outer -> outer.arguments().equals(run.arguments()))
                .map(RunOverview::directory)
                .min(Comparator.comparing(Path::getNameCount))
                .orElse(run.directory());
    }
}
