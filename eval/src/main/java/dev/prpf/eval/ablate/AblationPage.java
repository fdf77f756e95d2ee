package dev.prpf.eval.ablate;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.base.statistics.Interval;
import dev.prpf.eval.ablate.AblationReport.AblationRow;
import dev.prpf.eval.ablate.AblationReport.AblationRow.AblationCell;
import dev.prpf.eval.efficiency.EfficiencyReport;
import dev.prpf.eval.efficiency.EfficiencyTable;
import dev.prpf.eval.report.PublishedComparison;
import dev.prpf.eval.report.PublishedResults.PublishedTable;
import dev.prpf.eval.report.RunReportPage;
import dev.prpf.eval.score.Comparison;
import dev.prpf.eval.score.Metric;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The report of {@code eval ablate}: {@code report.html}, {@code report.md}, {@code ablation.json}.
 *
 * @param report what to show
 * @param provenance label to value: files with their hashes, versions
 */
public record AblationPage(AblationReport report, Map<String, String> provenance) {
    private static final String ONE_DECIMAL = "%.1f";
    /** Columns that the papers' tables do not have. */
    private static final List<String> OUR_COLUMNS = List.of("all Type-Acc ↑", "all FTR ↓", "malformed", "runs", "n");

    /** Metrics in which rows are compared, as keys of {@link Comparison#metrics()}. */
    private static final List<String> COMPARED = List.of("type_acc", "sr", "ftr", "malformed");

    /** Formats our rows and the papers' for a terminal, table by table. */
    public String text() {
        return report.tables().keySet().stream()
                .map(table -> results(table).toText())
                .collect(Collectors.joining("\n"));
    }

    public ReportPage page() {
        ReportPage page = new ReportPage("Ablations on " + report.n() + " samples");
        report.notes().forEach(page::note);
        page.paragraph(reading());
        for (PaperTable table : report.tables().keySet()) {
            page.heading(table.label() + ": " + table.about()).table(results(table));
            if (report.rows(table).stream().anyMatch(row -> row.comparison() != null)) {
                page.table(differences(table));
            }
            if (table == PaperTable.TABLE10 && report.efficiency() != null) {
                EfficiencyReport efficiency = new EfficiencyReport(report.efficiency(), Map.of());
                efficiency.tables().forEach(page::table);
                page.drawings(efficiency.drawings()).bullets(report.efficiency().assumptions());
            }
            page.folded("Commands of each row", List.of(commands(table)));
        }
        return page.heading("Models")
                .folded("Commands of each model", List.of(models()))
                .heading("Provenance")
                .provenance(provenance);
    }

    /** Writes the three files into the directory, each whole or not at all. */
    public void write(Path directory) {
        AtomicFiles.writeText(
                directory.resolve("ablation.json"), JsonRecords.tree(report).toPrettyString());
        page().write(directory, "report");
    }

    private String reading() {
        return String.format(
                Locale.ROOT,
                "Numbers are percent, each with its %.0f %% interval, of %d draws of the %d sources of samples. A"
                        + " difference is the row less its reference row, in points, with the interval of the pairs;"
                        + " p is McNemar's exact test with Holm's correction over the rows of the table. FTR matched is the"
                        + " papers' (over samples whose best-matched answer is silence), FTR is eq. 30's.",
                report.bootstrap().level(),
                report.bootstrap().resamples(),
                report.units());
    }

    private Table results(PaperTable table) {
        return table == PaperTable.TABLE10 ? costs(table) : scores(table);
    }

    private Table scores(PaperTable table) {
        PublishedTable published = published(table);
        Table.Builder shown = Table.of("system", "source", PublishedComparison.headings(published), OUR_COLUMNS);
        for (AblationRow row : report.rows(table)) {
            AblationCell all = row.overall();
            shown.emphasised(
                    row.name(),
                    "this report",
                    published.columns().stream()
                            .map(column -> shown(row, column.split("/", 2)))
                            .toList(),
                    shown(all, Metric.TYPE_ACC),
                    shown(all, Metric.FTR),
                    Shown.number(all.malformed(), "%.0f"),
                    row.runs().size(),
                    all.n());
        }
        return addPublished(shown, published).captioned(table.label() + ": " + published.shows() + ", percent");
    }

    private static String shown(AblationRow row, String[] column) {
        AblationCell cell = row.cell(column[0]);
        return cell == null ? Shown.NONE : shown(cell, PublishedComparison.metric(column[1]));
    }

    private static String shown(AblationCell cell, Metric metric) {
        if (cell.overSeeds() != null && cell.overSeeds().get(metric) != null) {
            return Shown.meanStd(
                    cell.overSeeds().get(metric), cell.overSeeds().get(metric).runs());
        }
        Interval interval = cell.intervals() == null ? null : cell.intervals().get(metric);
        return Shown.percent(cell.get(metric)) + Shown.bracketed(interval, ONE_DECIMAL);
    }

    /** Returns our costs as percent of the first row's, like the paper; memory counts only the larger stage, like there. */
    private Table costs(PaperTable table) {
        List<AblationRow> ours = report.rows(table);
        List<EfficiencyTable.Row> costs =
                Objects.requireNonNull(report.efficiency(), table.label()).rows();
        Table.Builder shown =
                Table.of("system", "source", "compute ↓", "latency ↓", "memory ↓", "SR ↑", "FTR matched ↓");
        for (int i = 0; i < costs.size(); i++) {
            EfficiencyTable.Row row = costs.get(i);
            shown.emphasised(
                    row.name(),
                    "this report",
                    percent(row.flopsVsFirst(), 1.0),
                    percent(row.latencyVsFirst(), 1.0),
                    percent(row.memory().sequentialMb(), costs.get(0).memory().sequentialMb()),
                    shown(ours.get(i).overall(), Metric.SR),
                    shown(ours.get(i).overall(), Metric.FTR_MATCHED));
        }
        PublishedTable published = published(table);
        return addPublished(shown, published).captioned(table.label() + ": " + published.shows());
    }

    private static String percent(@Nullable Double value, @Nullable Double of) {
        return Shown.number(value == null || of == null || of == 0 ? null : (Double) (100 * value / of), ONE_DECIMAL);
    }

    private PublishedTable published(PaperTable table) {
        return Objects.requireNonNull(report.published().get(table), table.label());
    }

    private static Table.Builder addPublished(Table.Builder shown, PublishedTable published) {
        published.rows().forEach(row -> {
            String name = row.section() == null ? row.name() : row.section() + ": " + row.name();
            shown.row(name, "published", row.values());
        });
        return shown;
    }

    private Table differences(PaperTable table) {
        Table.Builder shown = Table.of(
                "system",
                "less",
                COMPARED.stream()
                        .flatMap(key -> Stream.of(Comparison.heading(key), "p (Holm)"))
                        .toList());
        for (AblationRow row : report.rows(table)) {
            Comparison comparison = row.comparison();
            if (comparison != null) {
                shown.row(
                        row.name(),
                        comparison.first(),
                        COMPARED.stream()
                                .flatMap(key -> difference(comparison.metrics().get(key)).stream())
                                .toList());
            }
        }
        return shown.captioned(table.label() + ": differences, points");
    }

    private static List<String> difference(Comparison.@Nullable Difference difference) {
        if (difference == null) {
            return List.of(Shown.NONE, Shown.NONE);
        }
        Comparison.Test test = difference.test();
        return List.of(
                Shown.number(difference.difference(), "%+.2f") + Shown.bracketed(difference.interval(), ONE_DECIMAL),
                test == null ? Shown.NONE : RunReportPage.probability(test.holm()));
    }

    private Table commands(PaperTable table) {
        Table.Builder shown = Table.of("system", "command");
        report.rows(table).forEach(row -> row.runs().forEach(run -> shown.row(row.name(), run.command())));
        return shown.captioned(table.label() + ": commands");
    }

    private Table models() {
        Table.Builder shown = Table.of("model", "command");
        report.models()
                .forEach((name, commands) -> (commands.isEmpty() ? List.of("existed before, see Provenance") : commands)
                        .forEach(command -> shown.row(name, command)));
        return shown.captioned("Models");
    }
}
