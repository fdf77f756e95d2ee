package dev.prpf.cli.sweep;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.cli.sweep.SweepConfig.GatherSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements the command {@code prpf grid gather}. */
@Command(
        name = "gather",
        description = "Gather the members' results so far, wherever they ran, into one table and plot (report.html, "
                + "table.json, table.csv, members.csv).",
        footer = {
            "  ./prpf grid gather runs/seeds",
            "  ./prpf grid gather runs/seeds --metric loss=metrics.jsonl#/loss --metric recall --json"
        })
final class SweepGatherCommand implements Runnable {
    @Parameters(paramLabel = "DIR", description = "The folder of a sweep, or of the sweeps of one configuration.")
    private Path directory;

    @Option(
            names = "--metric",
            paramLabel = "[NAME=]SOURCE",
            description =
                    "A column (repeatable): a.b of the last command's result, or FILE#/a/b, a JSON Pointer into a file "
                            + "of each member. Default: as planned, else every number of the last result that differs.")
    private List<String> metrics = List.of();

    @Mixin
    private JsonOption output = new JsonOption();

    @Override
    public void run() {
        GatherSettings asked = metrics.isEmpty() ? null : GridCommand.gather(metrics);
        SweepReport report = new SweepReport(directory);
        folders().forEach((name, folder) -> {
            SweepPlan plan = SweepPlan.read(folder);
            report.add(name, asked == null ? plan : plan.gathering(asked));
        });
        report.write();
        GridCommand.print(directory, report, output);
    }

    /** Returns the sweeps below the folder, in planned order. */
    private Map<String, Path> folders() {
        Map<String, Path> folders = new LinkedHashMap<>();
        if (Files.isRegularFile(SweepPlan.file(directory))) {
            folders.put(GridCommand.ONE, directory);
            return folders;
        }
        if (Files.isDirectory(directory)) {
            IoFailure.whileReading("cannot list " + directory, () -> {
                        try (Stream<Path> children = Files.list(directory)) {
                            return children.filter(child -> Files.isRegularFile(SweepPlan.file(child)))
                                    .sorted()
                                    .toList();
                        }
                    })
                    .forEach(child -> folders.put(String.valueOf(child.getFileName()), child));
        }
        if (folders.isEmpty()) {
            throw new UsageException(directory + ": holds no sweep.json, nor does a folder in it; name the folder of a"
                    + " sweep (--run-dir of ./prpf grid)");
        }
        return folders;
    }
}
