package dev.prpf.eval.report;

import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.eval.score.Metrics;
import dev.prpf.eval.score.Scores;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The results of a whole pipeline: systems, gates, the duration of each stage, and the first system's limitations.
 *
 * @param systems by name; the first is the report's subject
 * @param gates by name; the perceiver is called "perceiver"
 * @param seconds wall-clock time of each stage
 */
public record PipelineReport(Map<String, Scores> systems, Map<String, GateMetrics> gates, Map<String, Double> seconds) {
    private static final String PERCEIVER = "perceiver";

    /**
     * A gate on the test split, in percent.
     *
     * @param recall share of the samples needing intervention that the gate lets through
     * @param specificity share of the other samples that it stops
     */
    public record GateMetrics(double recall, double specificity) {}

    public PipelineReport {
        if (systems.isEmpty()) {
            throw new IllegalArgumentException("a pipeline report needs at least one system");
        }
    }

    /** Formats the systems' table for a terminal. */
    public String text() {
        return ScoreTables.systems(systems).toText();
    }

    /** Formats the first system's metrics with intervals, then all systems, as Markdown. */
    public String markdown() {
        Scores main = systems.values().iterator().next();
        return ScoreTables.headline(main).toMarkdown() + "\n"
                + ScoreTables.systems(systems).toMarkdown();
    }

    /**
     * Returns a page of the results; the caller adds training curves, samples and provenance.
     *
     * @param remark shown before the metrics, for example that the data are synthetic
     * @param limitations that the metrics do not show
     */
    public ReportPage page(String title, String remark, List<String> limitations) {
        Scores main = systems.values().iterator().next();
        ReportPage page = new ReportPage(title)
                .note(remark)
                .keyFacts(ScoreReport.keyFacts(main))
                .heading("Systems")
                .table(ScoreTables.systems(systems))
                .drawings(List.of(ScoreReport.rates("of each system", overall())))
                .heading("Gates")
                .table(gateTable());
        List<String> all = new ArrayList<>(Limitations.of(main));
        all.addAll(betterGates());
        all.addAll(limitations);
        page.heading("Limitations").bullets(all);
        ScoreReport.details(page, main);
        return page.heading("Time").table(timings());
    }

    /** Returns each system's metrics over all samples. */
    public Map<String, Metrics> overall() {
        Map<String, Metrics> overall = new LinkedHashMap<>();
        systems.forEach((name, scores) -> overall.put(name, scores.overall()));
        return overall;
    }

    private List<String> betterGates() {
        GateMetrics own = gates.get(PERCEIVER);
        return gates.entrySet().stream()
                .filter(other -> own != null
                        && !other.getKey().equals(PERCEIVER)
                        && other.getValue().recall() >= own.recall()
                        && other.getValue().specificity() >= own.specificity())
                .map(other -> "The gate " + other.getKey()
                        + " is as good as the perceiver or better in recall and specificity:"
                        + " on these data the perceiver adds nothing by itself.")
                .toList();
    }

    private Table gateTable() {
        Table.Builder table = Table.of("gate", "recall ↑", "specificity ↑");
        gates.forEach((name, gate) -> table.firstEmphasised(name, gate.recall(), gate.specificity()));
        return table.captioned("Gates on the test split, percent");
    }

    private Table timings() {
        double total =
                seconds.values().stream().mapToDouble(Double::doubleValue).sum();
        Table.Builder table = Table.of("stage", "seconds", "%");
        seconds.forEach((stage, wall) -> table.row(stage, decimal(wall), share(wall, total)));
        return table.emphasised("all", decimal(total), share(total, total))
                .captioned("Wall-clock time of each stage on this machine");
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String share(double part, double whole) {
        return whole > 0 ? decimal(100 * part / whole) : Shown.NONE;
    }
}
