package dev.prpf.eval.efficiency;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.BarChart;
import dev.prpf.base.report.Block;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.eval.efficiency.EfficiencyTable.Row;
import dev.prpf.par.cascade.PredictionCost;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes an {@link EfficiencyTable} as {@code efficiency.html}, {@code efficiency.md} and {@code efficiency.json}, with charts after PRPF Figure
 * 3.
 *
 * @param provenance label to value: files with their hashes, versions
 */
public record EfficiencyReport(EfficiencyTable table, Map<String, String> provenance) {
    private static final double GIGA = 1e9;
    private static final double MILLI = 1e3;

    /** Formats the report for a terminal. */
    public String text() {
        return Stream.concat(tables().stream().map(Table::toText), table.assumptions().stream())
                .collect(Collectors.joining("\n"));
    }

    public ReportPage page() {
        ReportPage page = new ReportPage("What a prediction costs");
        tables().forEach(page::table);
        return page.heading("Compute, latency and memory")
                .drawings(drawings())
                .heading("How to read it")
                .bullets(table.assumptions())
                .heading("Provenance")
                .provenance(provenance);
    }

    /** Writes the three files into the directory, each whole or not at all. */
    public void write(Path directory) {
        AtomicFiles.writeText(
                directory.resolve("efficiency.json"), JsonRecords.tree(table).toPrettyString());
        page().write(directory, "efficiency");
    }

    /** Returns the tables: means of a sample, memory, and parts of operations and seconds. */
    public List<Table> tables() {
        List<Table> tables = new ArrayList<>(List.of(means(), memory()));
        tables.add(parts("GFLOP a sample by part", Row::flops, 1 / GIGA));
        tables.add(parts("Milliseconds a sample by part", Row::seconds, MILLI));
        if (table.rows().stream().anyMatch(row -> row.roofline() != null)) {
            tables.add(roofline());
        }
        return tables;
    }

    private Table means() {
        List<String> tokens = List.of("prompt tokens", "visual", "new tokens");
        Table.Builder means = Table.of("", "n", "routed", "r", tokens, "GFLOP", "of first", "eq. 31", "ms", "of first");
        table.rows()
                .forEach(row -> means.row(
                        row.name(),
                        row.n(),
                        row.routed(),
                        number("%.3f", row.routedShare(), 1),
                        number("%.1f", row.promptTokens(), 1),
                        number("%.1f", row.visualTokens(), 1),
                        number("%.1f", row.newTokens(), 1),
                        number("%.3f", row.flopsMean(), 1 / GIGA),
                        number("%.3f", row.flopsVsFirst(), 1),
                        number("%.3f", row.flopsEq31Mean(), 1 / GIGA),
                        number("%.2f", row.latencyMeanS(), MILLI),
                        number("%.3f", row.latencyVsFirst(), 1)));
        return means.captioned("Means of a sample; tokens of a routed one, visual: image tokens of its prompt");
    }

    private Table memory() {
        List<String> columns = List.of(
                "resident peak",
                "perceiver",
                "reasoner",
                "one after the other",
                "sum of both",
                "perceiver, on the card",
                "reasoner, on the card");
        Table.Builder memory = Table.of("", columns);
        table.rows()
                .forEach(row -> memory.row(
                        row.name(),
                        number("%.0f", row.peakMemoryMb(), 1),
                        number("%.0f", row.memory().perceiverMb(), 1),
                        number("%.0f", row.memory().reasonerMb(), 1),
                        number("%.0f", row.memory().sequentialMb(), 1),
                        number("%.0f", row.memory().coResidentBoundMb(), 1),
                        number("%.0f", row.memory().perceiverDeviceMb(), 1),
                        number("%.0f", row.memory().reasonerDeviceMb(), 1)));
        return memory.captioned("Memory, MB (10⁶ bytes)");
    }

    private Table parts(String caption, Function<Row, PredictionCost.Parts> of, double unit) {
        Table.Builder parts = Table.of("", "frame encoder", "text encoder", "fusion", "prefill", "decode", "total");
        table.rows()
                .forEach(row -> parts.row(
                        row.name(),
                        of.apply(row).values().stream()
                                .map(part -> number("%.3f", part, unit))
                                .toList()));
        return parts.captioned(caption);
    }

    private Table roofline() {
        Table.Builder shares = Table.of("", "prefill", "decode", "peak");
        table.rows().forEach(row -> {
            MachineFigures.Share share = row.roofline();
            shares.row(
                    row.name(),
                    number("%.1f", share == null ? null : share.prefill(), 100),
                    number("%.1f", share == null ? null : share.decode(), 100),
                    share == null ? null : share.peak());
        });
        return shares.captioned("Reasoner, percent of what the roofline lets it reach");
    }

    /** Draws PRPF Figure 3: bars are shares of the longest, labels give the values. */
    public List<Block.Drawing> drawings() {
        boolean onCard = table.rows().stream().anyMatch(row -> row.memory().deviceMb() != null);
        return List.of(
                drawing("Compute a sample", "GFLOP", "%.2f", 1 / GIGA, Row::flopsMean),
                drawing("Latency a sample", "ms", "%.1f", MILLI, Row::latencyMeanS),
                onCard
                        ? drawing("Reserved on the card at most", "MB", "%.0f", 1, row -> row.memory()
                                .deviceMb())
                        : drawing("Resident memory at most", "MB", "%.0f", 1, Row::peakMemoryMb));
    }

    private Block.Drawing drawing(
            String what, String unit, String pattern, double factor, Function<Row, @Nullable Double> value) {
        String caption = what + ", percent of the row that takes most; lower is better";
        double most = table.rows().stream()
                .map(value)
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
        Map<String, List<BarChart.Bar>> bars = new LinkedHashMap<>();
        IntStream.range(0, table.rows().size()).forEach(i -> {
            Row row = table.rows().get(i);
            Double own = value.apply(row);
            bars.put(
                    (i + 1) + ". " + row.name() + ": " + number(pattern, own, factor) + " " + unit,
                    List.of(new BarChart.Bar(own == null || most == 0 ? null : 100 * own / most, null)));
        });
        return new Block.Drawing(caption, BarChart.svg(caption, List.of(what), bars));
    }

    private static String number(String pattern, @Nullable Double value, double unit) {
        return Shown.number(value == null ? null : (Double) (value * unit), pattern);
    }
}
