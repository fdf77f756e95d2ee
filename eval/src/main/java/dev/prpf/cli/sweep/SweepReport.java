package dev.prpf.cli.sweep;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.base.workflow.MemberState;
import dev.prpf.base.workflow.Stage;
import dev.prpf.eval.report.PublishedResults;
import dev.prpf.eval.report.PublishedResults.PublishedTable;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The page of one or several sweeps, {@code report.html}, and the files of each: {@code table.json}, {@code table.csv}, {@code members.csv}. */
final class SweepReport {
    private static final MathContext DIGITS = new MathContext(4);

    private final Path directory;
    private final Map<String, Part> parts = new LinkedHashMap<>();

    private record Part(SweepPlan plan, SweepTable table) {
        /** Returns the table for readers: that of the named metrics, or the headline. */
        private SweepTable shown() {
            return plan.gather().metrics().isEmpty() ? table.headline() : table;
        }
    }

    /** @param directory for the page */
    SweepReport(Path directory) {
        this.directory = directory;
    }

    void add(String name, SweepPlan plan) {
        parts.put(name, new Part(plan, SweepTable.of(plan)));
    }

    Map<String, SweepTable> tables() {
        Map<String, SweepTable> tables = new LinkedHashMap<>();
        parts.forEach((name, part) -> tables.put(name, part.table()));
        return tables;
    }

    boolean done() {
        return count(true) == count(false);
    }

    /** Returns a text such as {@code 3 of 5}: members that are done, and all. */
    String progress() {
        return count(true) + " of " + count(false);
    }

    private long count(boolean done) {
        return parts.values().stream()
                .flatMap(part -> part.table().members().stream())
                .filter(member -> !done || member.state() == MemberState.DONE)
                .count();
    }

    Path file() {
        return directory.resolve("report.html").toAbsolutePath().normalize();
    }

    void write() {
        parts.values().forEach(part -> {
            Path folder = part.plan().directory();
            JsonFile.write(folder.resolve("table.json"), part.table());
            AtomicFiles.writeText(folder.resolve("table.csv"), part.table().rowsCsv());
            AtomicFiles.writeText(folder.resolve("members.csv"), part.table().membersCsv());
        });
        page().writeHtml(file());
    }

    String text() {
        return parts.entrySet().stream()
                .map(part -> table(part.getKey(), part.getValue()).toText()
                        + unfinished(part.getValue()).map(line -> line + "\n").collect(Collectors.joining())
                        + part.getValue().shown().notes().stream()
                                .map(note -> "Note: " + note + "\n")
                                .collect(Collectors.joining()))
                .collect(Collectors.joining("\n"));
    }

    private static Stream<String> unfinished(Part part) {
        return part.table().members().stream()
                .filter(member -> member.state() != MemberState.DONE)
                .map(SweepTable::sentence);
    }

    private ReportPage page() {
        ReportPage page =
                new ReportPage("Sweep " + directory.toAbsolutePath().normalize().getFileName());
        parts.forEach((name, part) -> section(page, name, part));
        page.heading("Provenance");
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
        SweepTable table = part.shown();
        page.heading(title(name, part));
        long done = table.in(MemberState.DONE).size();
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
        published(part.plan().gather().published()).ifPresent(paper -> page.table(shown(paper)));
        page.folded("Every member", List.of(members(name, table)));
    }

    private static String title(String name, Part part) {
        return part.plan().gather().title().isEmpty()
                ? name
                : part.plan().gather().title();
    }

    private static Table table(String name, Part part) {
        SweepTable table = part.shown();
        List<String> axes = table.shownAxes().stream().map(Axis::key).toList();
        if (axes.isEmpty()) {
            return figures(title(name, part), table);
        }
        boolean seeds = table.overSeeds();
        Table.Builder shown = Table.of(axes, seeds ? "members" : List.of(), table.metrics());
        table.rows()
                .forEach(row -> shown.row(
                        row.values().values(),
                        seeds ? row.members() : List.of(),
                        row.metrics().values().stream()
                                .map(over -> cell(over, seeds))
                                .toList()));
        return shown.captioned(title(name, part));
    }

    /** Returns the row of a sweep over seeds, with a line for each metric. */
    private static Table figures(String title, SweepTable table) {
        SweepTable.Row row = table.rows().get(0);
        Table.Builder shown = Table.of("metric", row.members() == 1 ? "1 member" : row.members() + " members");
        row.metrics().forEach((metric, over) -> shown.row(metric, cell(over, table.overSeeds())));
        return shown.captioned(title);
    }

    private static Table members(String name, SweepTable table) {
        Table.Builder shown = Table.of("member", "state", "exit", "seconds", table.metrics());
        table.members()
                .forEach(member -> shown.row(
                        member.name(),
                        member.state().label(),
                        member.exit(),
                        number(member.seconds()),
                        member.metrics().values().stream()
                                .map(SweepReport::number)
                                .toList()));
        return shown.captioned("members of " + name);
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

    /** Formats a number with four significant digits. */
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
        Table.Builder shown = Table.of(
                "published",
                published.columns().stream()
                        .map(column -> column.replace('/', ' '))
                        .toList());
        published.rows().forEach(row -> shown.row(row.name(), row.values()));
        return shown.captioned(published.title() + ": " + published.shows() + ", the paper's figures on its own data");
    }
}
