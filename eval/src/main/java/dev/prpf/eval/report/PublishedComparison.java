package dev.prpf.eval.report;

import dev.prpf.base.report.ReportPage;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.eval.report.PublishedResults.PublishedTable;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Metrics;
import dev.prpf.eval.score.Scores;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The papers' tables with our systems as their first rows.
 *
 * @param published all tables
 * @param systems the runs of each of our systems by name, on one gold set; several runs are shown as mean ± standard deviation
 */
public record PublishedComparison(PublishedResults published, Map<String, List<Scores>> systems) {
    private static final List<String> SECTIONS = List.of("L1", "L2", "L3", "all");
    /** ProactiveMobile's test set (its Table 2): samples by difficulty and modality. */
    private static final Map<String, Map<String, Integer>> TEST_SET = Map.of(
            "1", Map.of("multimodal", 118, "text", 259),
            "2", Map.of("multimodal", 613, "text", 711),
            "3", Map.of("multimodal", 1101, "text", 858));

    /** Returns PRPF's Tables 1 and 9, and ProactiveMobile's Tables 3, 4 and 6. */
    public List<Table> tables() {
        List<Table> tables = new ArrayList<>();
        tables.add(table(published.table("PRPF", "1"), null));
        SECTIONS.forEach(section -> tables.add(table(published.table("PRPF", "9"), section)));
        SECTIONS.forEach(section -> tables.add(table(published.table("ProactiveMobile", "3"), section)));
        tables.add(table(published.table("ProactiveMobile", "4"), null));
        SECTIONS.forEach(section -> tables.add(table(published.table("ProactiveMobile", "6"), section)));
        return tables;
    }

    void appendTo(ReportPage page) {
        page.heading("Published results").note(remark()).folded("The papers' tables", tables());
    }

    /** Returns the {@link #remark(Scores)} of the first system. */
    String remark() {
        return remark(systems.values().iterator().next().get(0));
    }

    /**
     * Returns a remark on how far our rows compare with published ones.
     *
     * @param scores of one of our systems on the gold set
     */
    public static String remark(Scores scores) {
        Map<String, Map<String, Integer>> counts = new LinkedHashMap<>();
        scores.byDifficultyAndModality().forEach((level, modalities) -> {
            Map<String, Integer> cells = new LinkedHashMap<>();
            modalities.forEach((modality, metrics) -> cells.put(modality, metrics.n()));
            counts.put(level, cells);
        });
        String gold = counts.equals(TEST_SET)
                ? "This gold set has as many samples of each difficulty and modality as ProactiveMobile's test set. "
                : "This gold set of " + scores.overall().n()
                        + " samples is not ProactiveMobile's test set of 3,660 (its counts by difficulty and modality"
                        + " differ): published rows only show the order of magnitude. ";
        String judge = scores.judge().equals("exact")
                ? "Published SR are a language model's verdicts, which accept paraphrases; ours need equal parameters."
                : "Published SR are verdicts of Gemini-2.5-Pro, ours of " + scores.judge() + ".";
        return gold + judge + " Rows marked \"published\" are the papers' numbers.";
    }

    private Table table(PublishedTable from, @Nullable String section) {
        Table.Builder table = Table.of("system", "source", headings(from));
        systems.forEach((name, runs) -> table.emphasised(
                name,
                "this report",
                from.columns().stream()
                        .map(column -> shown(runs, section, column))
                        .toList()));
        from.rows().stream()
                .filter(row -> Objects.equals(section, row.section()))
                .forEach(row -> table.row(row.name(), "published", row.values()));
        return table.captioned(
                from.title() + (section == null ? "" : ", " + section) + ": " + from.shows() + ", percent");
    }

    /** Returns the headings of a published table's columns. */
    public static List<String> headings(PublishedTable from) {
        return from.columns().stream().map(PublishedComparison::heading).toList();
    }

    private static String shown(List<Scores> runs, @Nullable String section, String column) {
        List<@Nullable Double> values = new ArrayList<>();
        runs.forEach(scores -> values.add(ours(scores, section, column)));
        return runs.size() == 1 ? Shown.percent(values.get(0)) : Shown.meanStd(MeanStd.of(values), runs.size());
    }

    /** Returns "text SR ↑" for the column "text/sr", "SR ↑" for "sr". */
    private static String heading(String column) {
        int slash = column.indexOf('/');
        Metric metric = metric(column.substring(slash + 1));
        return (slash < 0 ? "" : column.substring(0, slash) + " ") + metric.directed();
    }

    /** Returns the metric of a key of {@code eval score --json}. */
    public static Metric metric(String key) {
        return Metric.ofKey(key).orElseThrow(() -> new IllegalArgumentException("no metric has the key " + key));
    }

    /** Returns our value of a column; null if no sample counts. */
    private static @Nullable Double ours(Scores scores, @Nullable String section, String column) {
        String[] parts = column.split("/", 2);
        Metrics metrics = group(scores, section == null ? "all" : section, parts[0]);
        return metrics == null ? null : metrics.get(metric(parts[1]));
    }

    private static @Nullable Metrics group(Scores scores, String section, String group) {
        if (section.equals("all")) {
            return switch (group) {
                case "all" -> scores.overall();
                case "out" -> scores.byDistribution().get(group);
                default -> scores.byModality().get(group);
            };
        }
        String level = section.substring(1);
        return group.equals("all")
                ? scores.byDifficulty().get(level)
                : scores.byDifficultyAndModality().getOrDefault(level, Map.of()).get(group);
    }
}
