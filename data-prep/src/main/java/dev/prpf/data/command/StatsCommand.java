package dev.prpf.data.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.data.io.DatasetStatistics;
import dev.prpf.data.io.DatasetStatistics.Row;
import dev.prpf.data.io.SampleReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code prpf data stats}: the counts of PRPF's Table 5 for any file, and further statistics of its samples. */
@Command(
        name = "stats",
        description = {
            "Count items, intents, images and functions by split and modality (PRPF's Table 5).",
            "Samples are also counted by difficulty, scenario and calls per answer."
        },
        footer = "  ./prpf data stats --data test.json --json")
public final class StatsCommand implements Runnable {
    private static final String ROW = "%-12s %-12s %9s %9s %9s %9s %9s %10s";

    @Mixin
    private RecordsOptions records;

    @Mixin
    private JsonOption output;

    @Override
    public void run() {
        DatasetStatistics statistics;
        try (SampleReader samples = new SampleReader(Path.of(records.data), records.mapping())) {
            statistics = DatasetStatistics.of(samples, records.catalog());
        }
        print(statistics, output);
    }

    /** Prints the counts as one JSON object or as tables. */
    public static void print(DatasetStatistics statistics, JsonOption output) {
        output.printLines(statistics, () -> lines(statistics));
    }

    private static List<String> lines(DatasetStatistics statistics) {
        List<String> lines = new ArrayList<>();
        lines.add(
                ROW.formatted("Split", "Data type", "Items", "Intents", "Images", "Functions", "Silent", "Unlabelled"));
        statistics
                .bySplit()
                .forEach((split, rows) -> rows.forEach((modality, row) -> lines.add(text(split, modality, row))));
        lines.add(text("all", "", statistics.total()));
        addCounts(lines, "Difficulty", statistics.byDifficulty());
        addCounts(lines, "Scenario", statistics.byScenario());
        addCounts(lines, "Calls per answer", statistics.callsPerAnswer());
        return lines;
    }

    private static String text(String split, String modality, Row row) {
        return String.format(
                Locale.ROOT,
                ROW.replace("%9s", "%,9d").replace("%10s", "%,10d"),
                split,
                modality,
                row.items(),
                row.intents(),
                row.images(),
                row.functions(),
                row.silent(),
                row.unlabelled());
    }

    private static void addCounts(List<String> lines, String title, Map<?, Long> counts) {
        lines.addAll(List.of("", title));
        counts.forEach((key, n) -> lines.add(String.format(Locale.ROOT, "  %-28s %,9d", key, n)));
    }
}
