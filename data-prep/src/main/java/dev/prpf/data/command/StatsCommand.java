package dev.prpf.data.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.data.check.DatasetStatistics;
import dev.prpf.data.check.DatasetStatistics.Row;
import dev.prpf.data.io.SampleReader;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code prpf data stats}: the counts of PRPF's Table 5 for any file, and further statistics of its samples. */
@Command(
        name = "stats",
        description = {
            "Count items, intents, images and functions by split and modality (PRPF's Table 5).",
            "Samples are also counted by difficulty, scenario and calls per answer."
        },
        footer = {"", "Example:", "  ./prpf data stats --data test.json --json"})
public final class StatsCommand implements Callable<Integer> {
    private static final String ROW = "%-12s %-12s %9s %9s %9s %9s %9s %10s";

    @Mixin
    private RecordsOptions records;

    @Mixin
    private JsonOption output;

    @Override
    public Integer call() {
        DatasetStatistics statistics;
        try (SampleReader samples = new SampleReader(records.data, records.mapping())) {
            statistics = DatasetStatistics.of(samples, records.catalog());
        }
        print(statistics, output.json);
        return 0;
    }

    /** Prints the counts as one JSON object or as tables. */
    public static void print(DatasetStatistics statistics, boolean json) {
        if (json) {
            ResultStream.json(statistics);
        } else {
            print(statistics);
        }
    }

    private static void print(DatasetStatistics statistics) {
        ResultStream.line(String.format(
                ROW, "Split", "Data type", "Items", "Intents", "Images", "Functions", "Silent", "Unlabelled"));
        statistics.bySplit().forEach((split, rows) -> rows.forEach((modality, row) -> printRow(split, modality, row)));
        printRow("all", "", statistics.total());
        printCounts("Difficulty", statistics.byDifficulty());
        printCounts("Scenario", statistics.byScenario());
        printCounts("Calls per answer", statistics.callsPerAnswer());
    }

    private static void printRow(String split, String modality, Row row) {
        ResultStream.line(String.format(
                Locale.ROOT,
                ROW.replace("%9s", "%,9d").replace("%10s", "%,10d"),
                split,
                modality,
                row.items(),
                row.intents(),
                row.images(),
                row.functions(),
                row.silent(),
                row.unlabelled()));
    }

    private static void printCounts(String title, Map<?, Long> counts) {
        ResultStream.line("");
        ResultStream.line(title);
        counts.forEach((key, n) -> ResultStream.line(String.format(Locale.ROOT, "  %-28s %,9d", key, n)));
    }
}
