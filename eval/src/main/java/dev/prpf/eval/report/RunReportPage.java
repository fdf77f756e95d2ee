package dev.prpf.eval.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.eval.score.Comparison;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Metrics;
import dev.prpf.eval.score.RunReport;
import dev.prpf.eval.score.RunReport.SystemSummary;
import dev.prpf.eval.score.Scores;
import dev.prpf.eval.score.SystemScores;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The report of {@code eval report}: {@code report.json}, {@code report.md}, {@code report.html}.
 *
 * @param report the report to format
 * @param provenance label to value: files with their hashes, versions
 */
public record RunReportPage(RunReport report, Map<String, String> provenance) {
    /** Formats the page for a terminal. */
    public String text() {
        List<Table> tables = new ArrayList<>(List.of(systems()));
        report.comparisons().forEach(pair -> tables.add(comparison(pair)));
        if (!report.differences().isEmpty()) {
            tables.add(differences());
        }
        return tables.stream().map(Table::toText).collect(Collectors.joining("\n"))
                + report.notes().stream().map(note -> "\nNote: " + note).collect(Collectors.joining());
    }

    public ReportPage page() {
        Map<String, Metrics> overall = new LinkedHashMap<>();
        Map<String, List<Scores>> scores = new LinkedHashMap<>();
        for (SystemScores system : report.scored()) {
            List<Scores> runs =
                    system.runs().stream().map(SystemScores.ScoredRun::scores).toList();
            scores.put(system.name(), runs);
            for (int r = 0; r < runs.size(); r++) {
                overall.put(system.nameOf(r), runs.get(r).overall());
            }
        }
        ReportPage page = new ReportPage(
                        scores.size() + (scores.size() == 1 ? " system on " : " systems on ") + report.n() + " samples")
                .table(systems())
                .drawings(List.of(ScoreReport.rates("of each run", overall)));
        report.notes().forEach(page::note);
        if (!report.comparisons().isEmpty()) {
            page.heading("Differences").paragraph(reading());
            report.comparisons().forEach(pair -> page.table(comparison(pair)));
        }
        page.heading("Differences in data, prompts, weights and settings");
        if (report.differences().isEmpty()) {
            page.paragraph("None that the runs recorded.");
        } else {
            page.table(differences());
        }
        if (!report.shortlist().isEmpty()) {
            page.heading("By the size of the candidate pool").table(shortlist());
        }
        new PublishedComparison(PublishedResults.shipped(), scores).appendTo(page);
        return page.heading("Provenance").provenance(provenance);
    }

    private String reading() {
        return "A difference is the second system less the first, in points. Its " + level() + " interval is of "
                + report.bootstrap().resamples() + " draws of the " + report.units()
                + " sources of samples, each with both systems' predictions. p is McNemar's exact test on samples that only one"
                + " system has right; it takes samples as independent. Holm's correction is over all pairs of systems,"
                + " metric by metric.";
    }

    private String level() {
        return String.format(Locale.ROOT, "%.0f %%", report.bootstrap().level());
    }

    private Table systems() {
        List<Metric> metrics = List.of(Metric.values());
        Table.Builder table = Table.of(
                "system",
                "runs",
                "n",
                "malformed",
                metrics.stream().map(Metric::directed).toList());
        for (SystemSummary system : report.systems()) {
            int runs = system.runs().size();
            Metrics overall = system.runs().get(0).overall();
            Map<Metric, MeanStd> overSeeds = system.overSeeds() == null ? Map.of() : system.overSeeds();
            table.row(
                    system.name(),
                    runs,
                    overall.n(),
                    system.runs().stream()
                            .map(run -> Integer.toString(run.overall().malformed()))
                            .collect(Collectors.joining(", ")),
                    metrics.stream()
                            .map(metric -> overSeeds.containsKey(metric)
                                    ? Shown.meanStd(overSeeds.get(metric), runs)
                                    : Shown.percent(overall.get(metric)))
                            .toList());
        }
        return table.captioned("All systems on the same samples, percent (judge: " + report.judge()
                + "); over several runs mean ± standard deviation");
    }

    private Table comparison(Comparison pair) {
        String interval = level() + " interval";
        List<String> test = List.of("only first", "only second", "p", "p (Holm)");
        Table.Builder table = Table.of("metric", "n", pair.first(), pair.second(), "difference", interval, test);
        pair.metrics().forEach((key, difference) -> table.row(Comparison.heading(key), cells(difference)));
        return table.captioned(pair.second() + " less " + pair.first() + ", points");
    }

    private static List<Object> cells(Comparison.@Nullable Difference difference) {
        if (difference == null) {
            return List.of(0);
        }
        List<Object> cells = new ArrayList<>(List.of(
                difference.n(),
                Shown.percent(difference.first()),
                Shown.percent(difference.second()),
                String.format(Locale.ROOT, "%+.2f", difference.difference()),
                Shown.interval(difference.interval())));
        Comparison.Test test = difference.test();
        if (test != null) {
            cells.addAll(List.of(test.first(), test.second(), probability(test.p()), probability(test.holm())));
        }
        return cells;
    }

    /** Formats a p-value for tables. */
    public static String probability(double p) {
        return p < 0.0001 ? "<0.0001" : String.format(Locale.ROOT, "%.4f", p);
    }

    private Table differences() {
        List<String> names = List.copyOf(report.differences().get(0).values().keySet());
        Table.Builder table = Table.of("fact", "about", names);
        report.differences()
                .forEach(difference -> table.row(
                        difference.fact(),
                        difference.kind().label(),
                        names.stream().map(difference::shown).toList()));
        return table.captioned("Differences in data, prompts, weights and settings");
    }

    private Table shortlist() {
        Table.Builder table = Table.of("K", "system", "source", "SR ↑", "Type-Acc ↑");
        report.shortlist()
                .forEach(row -> table.emphasised(row.k(), row.name(), "this report", row.sr(), row.typeAcc()));
        PublishedResults.PublishedTable published = PublishedResults.shipped().table("PRPF", "8");
        int sr = published.columns().indexOf("sr");
        published
                .rows()
                .forEach(row ->
                        table.row(row.name(), "PRPF", "published", row.values().get(sr)));
        return table.captioned("SR by the number K of scenarios (PRPF Table 8), percent");
    }

    /** Writes the three files into the directory, each whole or not at all. */
    public void write(Path directory) {
        ObjectNode json = (ObjectNode) JsonRecords.tree(report);
        json.set("provenance", JsonRecords.tree(provenance));
        AtomicFiles.writeText(directory.resolve("report.json"), json.toPrettyString());
        page().write(directory, "report");
    }
}
