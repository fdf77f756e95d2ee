package dev.prpf.cli;

import com.fasterxml.jackson.databind.node.MissingNode;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunOverview;
import dev.prpf.eval.score.Provenance;
import dev.prpf.eval.score.RunFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Implements the command {@code prpf runs compare}. */
@Command(
        name = "compare",
        description =
                "Compare runs: differences in their origin (data, prompts, weights, settings, program), and their "
                        + "last metrics and results.",
        footer = {
            "  ./prpf runs compare runs/reasoner-1 runs/reasoner-2",
            "  ./prpf runs compare runs/sweep/members/* --json"
        })
final class RunsCompareCommand implements Runnable {
    @Parameters(arity = "2..*", paramLabel = "RUN", description = "Run directories, two or more.")
    private List<Path> directories;

    @Mixin
    private JsonOption output = new JsonOption();

    /** A run; step is null if it has no metrics. */
    record Line(String run, @Nullable String command, String state, @Nullable Long step, @Nullable String problem) {}

    /** A number in the runs' last line of metrics or results; null for a run without it. */
    record MetricLine(String metric, Map<String, @Nullable Double> values) {}

    /** The result that {@code --json} prints; metrics that differ come first. */
    record Comparison(List<Line> runs, List<Provenance.Difference> differences, List<MetricLine> metrics) {}

    @Override
    public void run() {
        Map<String, RunOverview> runs = new LinkedHashMap<>();
        for (Path directory : directories) {
            if (!Files.isRegularFile(directory.resolve("run.json"))) {
                throw new UsageException(directory + ": is not a run directory, it holds no run.json; see ./prpf runs");
            }
            if (runs.put(directory.toString(), RunOverview.of(directory)) != null) {
                throw new UsageException(directory + ": is a duplicate; name runs that differ");
            }
        }
        Comparison comparison = new Comparison(
                runs.entrySet().stream()
                        .map(run -> line(run.getKey(), run.getValue()))
                        .toList(),
                differences(runs),
                metrics(runs));
        output.printLines(comparison, () -> lines(comparison));
    }

    private static Line line(String name, RunOverview run) {
        return new Line(name, run.command(), run.state().name().toLowerCase(Locale.ROOT), run.step(), run.problem());
    }

    private static List<Provenance.Difference> differences(Map<String, RunOverview> runs) {
        Map<String, Provenance> provenances = new LinkedHashMap<>();
        Map<String, @Nullable String> commands = new LinkedHashMap<>();
        runs.forEach((name, run) -> {
            Path file = run.directory().resolve("run.json");
            provenances.put(name, Provenance.of(new RunFiles(file, file)));
            commands.put(name, run.command());
        });
        List<Provenance.Difference> differences = new ArrayList<>(Provenance.differences(provenances));
        if (commands.values().stream().distinct().count() > 1) {
            differences.add(0, new Provenance.Difference(Provenance.Kind.PROGRAM, "command", commands));
        }
        return differences;
    }

    private static List<MetricLine> metrics(Map<String, RunOverview> runs) {
        Map<String, Map<String, Double>> numbers = new LinkedHashMap<>();
        Set<String> names = new LinkedHashSet<>();
        runs.forEach((name, run) -> {
            Map<String, Double> own = new LinkedHashMap<>(
                    JsonRecords.numbers(run.metrics() == null ? MissingNode.getInstance() : run.metrics()));
            JsonRecords.numbers(RunDirectory.result(run.directory()))
                    .forEach((key, value) -> own.put("result." + key, value));
            numbers.put(name, own);
            names.addAll(own.keySet());
        });
        List<MetricLine> lines = names.stream()
                .map(metric -> {
                    Map<String, @Nullable Double> values = new LinkedHashMap<>();
                    numbers.forEach((run, own) -> values.put(run, own.get(metric)));
                    return new MetricLine(metric, values);
                })
                .toList();
        return Stream.concat(
                        lines.stream().filter(RunsCompareCommand::differs),
                        lines.stream().filter(line -> !differs(line)))
                .toList();
    }

    private static boolean differs(MetricLine line) {
        return line.values().values().stream().distinct().count() > 1;
    }

    private static List<String> lines(Comparison comparison) {
        List<String> lines = new ArrayList<>();
        for (Line run : comparison.runs()) {
            lines.add(run.run() + ": " + run.state() + ", " + run.command()
                    + (run.step() == null ? "" : ", step " + run.step())
                    + (run.problem() == null ? "" : ": " + run.problem()));
        }
        List<String> names = comparison.runs().stream().map(Line::run).toList();
        Table.Builder made = Table.of("", names);
        comparison
                .differences()
                .forEach(difference -> made.row(
                        difference.kind().label() + " " + difference.fact(),
                        names.stream().map(difference::shown).toList()));
        Table.Builder numbers = Table.of("", names);
        comparison.metrics().stream()
                .filter(RunsCompareCommand::differs)
                .forEach(line -> numbers.row(
                        line.metric(),
                        names.stream()
                                .map(name -> Shown.number(line.values().get(name), "%.5g"))
                                .toList()));
        for (Table table : List.of(
                made.captioned("Differences in data, prompts, weights and settings"),
                numbers.captioned("Numbers that differ"))) {
            lines.add("");
            lines.add(
                    table.rows().isEmpty()
                            ? table.caption() + ": nothing"
                            : table.toText().stripTrailing());
        }
        return lines;
    }
}
