package dev.prpf.eval.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.BarChart;
import dev.prpf.base.report.Block;
import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.StackedBars;
import dev.prpf.base.report.Table;
import dev.prpf.eval.score.ErrorAnalysis;
import dev.prpf.eval.score.ErrorAnalysis.Outcome;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Metrics;
import dev.prpf.eval.score.Scores;
import dev.prpf.eval.score.Scores.GateDecisions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The report of {@code eval score}: {@code report.json}, {@code report.md}, {@code report.html}.
 *
 * @param failures to browse; may be empty
 * @param provenance label to value: files with their hashes, versions
 */
public record ScoreReport(Scores scores, List<Block.Entry> failures, Map<String, String> provenance) {
    private static final List<Metric> RATES = List.of(Metric.SR, Metric.TYPE_ACC, Metric.FTR);

    private static final List<String> MEANINGS = List.of(
            "SR, success rate: share of all samples with a right answer. Silence is right where silence was wanted.",
            "SR acting: success rate of the samples that want help.",
            "Names acting: share of them with calls of the right functions only, whatever the values.",
            "Type-Acc: share with exactly the right functions in order; their values are not compared.",
            "FTR, false trigger rate: share of the samples that want silence in which the assistant spoke. Lower is better.",
            "FTR matched: the same share, of the samples whose closest valid answer is silence.",
            "P, R and F1: precision, recall and their harmonic mean over the names of functions.",
            "L1, L2 and L3: difficulty of a sample, from easy to hard, as its record says.",
            "An interval is a 95 % bootstrap interval. A dash is a metric over no samples.");

    /** Formats the report for a terminal. */
    public String text() {
        List<Table> tables = new ArrayList<>(List.of(ScoreTables.headline(scores), ScoreTables.breakdown(scores)));
        if (!scores.byScenario().isEmpty()) {
            tables.add(ScoreTables.scenarios(scores));
        }
        tables.add(ScoreTables.categories(scores.errors()));
        String note = scores.withoutIntervals();
        return tables.stream().map(Table::toText).collect(Collectors.joining("\n"))
                + (note == null ? "" : "\nNote: " + note);
    }

    public ReportPage page() {
        ReportPage page = new ReportPage("Scores of " + scores.samples().size() + " samples")
                .keyFacts(keyFacts(scores))
                .table(ScoreTables.headline(scores))
                .note(readingNote());
        details(page, scores);
        new PublishedComparison(PublishedResults.shipped(), Map.of("this run", List.of(scores))).appendTo(page);
        if (!failures.isEmpty()) {
            page.heading("Failures")
                    .paragraph("The first failures of each modality and outcome in the gold set, " + failures.size()
                            + " in all.")
                    .browser(failures);
        }
        return page.heading("Provenance").provenance(provenance);
    }

    /** Adds the sections on groups of samples and on errors. */
    static void details(ReportPage page, Scores scores) {
        Map<String, Metrics> levels = new LinkedHashMap<>();
        scores.byDifficulty().forEach((level, group) -> levels.put("L" + level, group));
        page.heading("What the metrics mean").bullets(MEANINGS);
        page.heading("By modality and difficulty")
                .drawings(List.of(rates("by modality", scores.byModality()), rates("by difficulty", levels)))
                .table(ScoreTables.breakdown(scores))
                .table(ScoreTables.gaps(scores));
        if (!scores.byScenario().isEmpty()) {
            page.heading("By scenario")
                    .table(ScoreTables.scenarios(scores))
                    .table(ScoreTables.scenarioErrors(scores))
                    .table(ScoreTables.clusters(scores))
                    .table(ScoreTables.distribution(scores));
        }
        ErrorAnalysis analysis = scores.errors();
        page.heading("Errors")
                .drawings(List.of(outcomes(analysis)))
                .table(ScoreTables.outcomes(analysis))
                .table(ScoreTables.categories(analysis))
                .table(ScoreTables.patterns(analysis))
                .table(ScoreTables.paths(analysis))
                .table(ScoreTables.bestMatch(scores));
        GateDecisions gate = scores.gate();
        if (gate == null) {
            page.note("All samples went to the reasoner: there was no gate, or all passed it.");
        } else {
            page.table(ScoreTables.gate(gate));
        }
    }

    /**
     * Draws SR, Type-Acc and FTR of groups of samples or of systems, with intervals.
     *
     * @param of the kind of groups, such as "by modality"
     * @param groups by name
     */
    static Block.Drawing rates(String of, Map<String, Metrics> groups) {
        String caption = "SR, Type-Acc and FTR " + of + ", percent, with intervals";
        Map<String, List<BarChart.Bar>> bars = new LinkedHashMap<>();
        groups.forEach((name, group) -> bars.put(
                name + ", n = " + group.n(),
                RATES.stream()
                        .map(metric -> new BarChart.Bar(
                                group.get(metric), group.intervals().get(metric)))
                        .toList()));
        return new Block.Drawing(
                caption, BarChart.svg(caption, RATES.stream().map(Metric::label).toList(), bars));
    }

    /** Draws the outcomes under SR scoring, one bar for each modality (after PRPF Figure 4). */
    private static Block.Drawing outcomes(ErrorAnalysis analysis) {
        String caption = "Outcomes of each modality under SR scoring, percent";
        Map<String, List<Integer>> rows = new LinkedHashMap<>();
        analysis.outcomes().forEach((modality, counts) -> rows.put(modality, List.copyOf(counts.values())));
        List<String> legend = Stream.of(Outcome.values()).map(Outcome::label).toList();
        return new Block.Drawing(caption, StackedBars.svg(caption, legend, rows));
    }

    static List<Block.KeyFact> keyFacts(Scores scores) {
        Metrics metrics = scores.overall();
        return List.of(Metric.SR, Metric.TYPE_ACC, Metric.FTR, Metric.F1).stream()
                .map(metric -> new Block.KeyFact(
                        metric.label() + (metric.higherIsBetter() ? " (higher is better)" : " (lower is better)"),
                        Shown.percent(metrics.get(metric)),
                        Shown.interval(scores.overall().intervals().get(metric)) + ", n = "
                                + metrics.denominator(metric)))
                .toList();
    }

    private String readingNote() {
        String judge = scores.judge().equals("exact")
                ? "SR here needs equal parameters; the paper's judge, a language model, also accepts paraphrases, so"
                        + " this SR is a lower bound, not comparable with published ones. "
                : "";
        Scores.VerdictCounts verdicts = scores.verdictCounts();
        String abstained = verdicts.abstained() == 0
                ? ""
                : "The judge abstained on " + verdicts.abstained() + " of the " + verdicts.n()
                        + " samples that it received; SR excludes them. ";
        String note = scores.withoutIntervals();
        return judge
                + abstained
                + (note == null ? "" : note + " ")
                + "FTR is over samples with silence as their only answer; FTR matched is over samples with silence as"
                + " best-matched answer, and is the one to compare with published rows.";
    }

    /** Writes the three files into the directory, each whole or not at all. */
    public void write(Path directory) {
        ObjectNode json = (ObjectNode) JsonRecords.tree(scores);
        json.set("provenance", JsonRecords.tree(provenance));
        AtomicFiles.writeText(directory.resolve("report.json"), json.toPrettyString());
        page().write(directory, "report");
    }
}
