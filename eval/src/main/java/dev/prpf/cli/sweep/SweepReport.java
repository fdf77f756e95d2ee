package dev.prpf.cli.sweep;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.base.stage.Stage;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.eval.report.PublishedResults;
import dev.prpf.eval.report.PublishedResults.PublishedTable;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The files and the page of one or several sweeps: {@code report.html}, and of each {@code table.json}, {@code table.csv}, {@code members.csv}. */
final class SweepReport {
    private static final MathContext DIGITS = new MathContext(4);

    private final Path directory;
    private final Map<String, Part> parts = new LinkedHashMap<>();

    /** A sweep with what was gathered of it. */
    private record Part(SweepPlan plan, GatherSettings gather, SweepTable table) {}

    /** @param directory where the page goes */
    SweepReport(Path directory) {
        this.directory = directory;
    }

    /**
     * Gathers a sweep.
     *
     * @param name of the sweep
     */
    SweepTable add(String name, SweepPlan plan, GatherSettings gather) {
        SweepTable table = SweepTable.of(plan, gather);
        parts.put(name, new Part(plan, gather, table));
        return table;
    }

    Map<String, SweepTable> tables() {
        Map<String, SweepTable> tables = new LinkedHashMap<>();
        parts.forEach((name, part) -> tables.put(name, part.table()));
        return tables;
    }

    /** Whether every member is done. */
    boolean done() {
        return parts.values().stream()
                .flatMap(part -> part.table().members().stream())
                .allMatch(member -> member.state() == SweepTable.State.DONE);
    }

    Path file() {
        return directory.resolve("report.html").toAbsolutePath().normalize();
    }

    /** Writes all files. */
    void write() {
        parts.values().forEach(part -> {
            Path folder = part.plan().directory();
            AtomicFiles.writeText(folder.resolve("table.json"), JsonRecords.write(part.table()) + "\n");
            AtomicFiles.writeText(folder.resolve("table.csv"), SweepCsv.rows(part.table()));
            AtomicFiles.writeText(folder.resolve("members.csv"), SweepCsv.members(part.table()));
        });
        page().writeHtml(file());
    }

    /** For a terminal. */
    String text() {
        return parts.entrySet().stream()
                .map(part -> table(part.getKey(), part.getValue()).toText()
                        + unfinished(part.getValue()).map(line -> line + "\n").collect(Collectors.joining())
                        + part.getValue().table().notes().stream()
                                .map(note -> "Note: " + note + "\n")
                                .collect(Collectors.joining()))
                .collect(Collectors.joining("\n"));
    }

    private static Stream<String> unfinished(Part part) {
        return part.table().members().stream()
                .filter(member -> member.state() != SweepTable.State.DONE)
                .map(SweepTable::sentence);
    }

    private ReportPage page() {
        ReportPage page =
                new ReportPage("Sweep " + directory.toAbsolutePath().normalize().getFileName());
        parts.forEach((name, part) -> section(page, name, part));
        page.heading("How it was made");
        Map<String, String> facts = new LinkedHashMap<>();
        parts.forEach((name, part) -> {
            facts.put(
                    name,
                    part.table().axes().stream()
                            .map(axis -> axis.key() + " = " + String.join(", ", axis.values()))
                            .collect(Collectors.joining("\n")));
            part.plan().members().stream()
                    .findFirst()
                    .ifPresent(first -> facts.put(
                            name + ", first member",
                            first.steps().stream().map(Stage::typed).collect(Collectors.joining("\n"))));
        });
        facts.put("revision", System.getProperty("prpf.revision", "unknown"));
        facts.put("java", System.getProperty("java.version"));
        return page.provenance(facts);
    }

    private static void section(ReportPage page, String name, Part part) {
        SweepTable table = part.table();
        page.heading(title(name, part));
        long done = table.in(SweepTable.State.DONE).size();
        page.paragraph(done + " of " + table.members().size() + " members are done"
                + (table.overSeeds()
                        ? "; mean ± standard deviation over seeds (n - 1), in brackets the 95 percent interval of"
                                + " the mean (Student's t)."
                        : "."));
        List<String> unfinished = unfinished(part).toList();
        if (!unfinished.isEmpty()) {
            page.note("Not done:").bullets(unfinished);
        }
        table.notes().forEach(page::note);
        if (!table.rows().isEmpty()) {
            page.table(table(name, part));
            page.drawings(new SweepFigures(table).drawings());
        }
        published(part.gather().published()).ifPresent(beside -> page.table(shown(beside)));
        page.folded("Every member", List.of(members(name, table)));
    }

    private static String title(String name, Part part) {
        return part.gather().title().isEmpty() ? name : part.gather().title();
    }

    private static Table table(String name, Part part) {
        SweepTable table = part.table();
        List<String> axes = table.shownAxes().stream().map(Axis::key).toList();
        if (axes.isEmpty()) {
            return figures(title(name, part), table);
        }
        List<String> columns = new ArrayList<>(axes);
        if (table.overSeeds()) {
            columns.add("members");
        }
        columns.addAll(table.metrics());
        List<Table.Row> rows = table.rows().stream()
                .map(row -> {
                    List<String> cells = new ArrayList<>(row.values().values());
                    if (table.overSeeds()) {
                        cells.add(Integer.toString(row.members()));
                    }
                    table.metrics()
                            .forEach(metric -> cells.add(
                                    cell(Objects.requireNonNull(row.metrics().get(metric)), table.overSeeds())));
                    return Table.Row.of(cells);
                })
                .toList();
        return new Table(title(name, part), columns, rows);
    }

    /** Of the one row that seeds alone make, a line for each metric. */
    private static Table figures(String title, SweepTable table) {
        SweepTable.Row row = table.rows().get(0);
        String over = row.members() == 1 ? "1 member" : row.members() + " members";
        List<Table.Row> rows = table.metrics().stream()
                .map(metric -> Table.Row.of(List.of(
                        metric, cell(Objects.requireNonNull(row.metrics().get(metric)), table.overSeeds()))))
                .toList();
        return new Table(title, List.of("metric", over), rows);
    }

    private static Table members(String name, SweepTable table) {
        List<String> columns = new ArrayList<>(List.of("member", "state", "exit", "seconds"));
        columns.addAll(table.metrics());
        List<Table.Row> rows = table.members().stream()
                .map(member -> {
                    List<String> cells = new ArrayList<>(List.of(
                            member.name(),
                            member.state().label(),
                            member.exit() == null ? Shown.NONE : member.exit().toString(),
                            number(member.seconds())));
                    table.metrics()
                            .forEach(metric -> cells.add(number(member.metrics().get(metric))));
                    return Table.Row.of(cells);
                })
                .toList();
        return new Table("members of " + name, columns, rows);
    }

    private static String cell(MeanStd over, boolean seeds) {
        Double std = over.std();
        if (!seeds || std == null) {
            return number(over.mean());
        }
        return number(over.mean()) + " ± " + number(std)
                + (over.interval() == null
                        ? ""
                        : " [" + number(over.interval().low()) + ", "
                                + number(over.interval().high()) + "]");
    }

    /** With four significant digits. */
    static String number(@Nullable Double value) {
        if (value == null || !Double.isFinite(value)) {
            return Shown.NONE;
        }
        BigDecimal exact = new BigDecimal(Double.toString(value));
        BigDecimal rounded = Math.abs(value) >= 1000 ? exact.setScale(0, RoundingMode.HALF_EVEN) : exact.round(DIGITS);
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }

    /** The published table shown next to the results. */
    static Optional<PublishedTable> published(@Nullable String title) {
        return PublishedResults.shipped().tables().stream()
                .filter(table -> table.title().equals(title))
                .findFirst();
    }

    private static Table shown(PublishedTable published) {
        List<String> columns = new ArrayList<>(List.of("published"));
        published.columns().forEach(column -> columns.add(column.replace('/', ' ')));
        return new Table(
                published.title() + ": " + published.shows() + ", as the paper prints it, of its own data",
                columns,
                published.rows().stream()
                        .map(row -> {
                            List<String> cells = new ArrayList<>(List.of(row.name()));
                            row.values().forEach(value -> cells.add(Shown.percent(value)));
                            return Table.Row.of(cells);
                        })
                        .toList());
    }
}
