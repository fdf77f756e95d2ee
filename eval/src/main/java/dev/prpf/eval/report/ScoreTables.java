package dev.prpf.eval.report;

import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.eval.score.BestMatchRules;
import dev.prpf.eval.score.ErrorAnalysis;
import dev.prpf.eval.score.ErrorAnalysis.ErrorCategory;
import dev.prpf.eval.score.ErrorAnalysis.Outcome;
import dev.prpf.eval.score.GateDecisions;
import dev.prpf.eval.score.Labelled;
import dev.prpf.eval.score.Metric;
import dev.prpf.eval.score.Metrics;
import dev.prpf.eval.score.Scores;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Scores as tables. */
final class ScoreTables {
    private ScoreTables() {}

    /** One row a metric: value, interval, how many samples it is over. */
    static Table headline(Scores scores) {
        Metrics overall = scores.overall();
        List<Table.Row> rows = new ArrayList<>();
        for (Metric metric : Metric.values()) {
            rows.add(Table.Row.of(List.of(
                    metric.label(),
                    Shown.percent(overall.get(metric)),
                    Shown.interval(overall.intervals().get(metric)),
                    Integer.toString(overall.denominator(metric)))));
        }
        String level = String.format(
                Locale.ROOT, "%.0f %% interval", scores.bootstrap().level());
        return new Table(
                "Overall, percent (judge: " + scores.judge() + ")", List.of("metric", "value", level, "n"), rows);
    }

    /** PRPF Table 9: a row a modality, a difficulty and a pair of them, then all. */
    static Table breakdown(Scores scores) {
        List<Table.Row> rows = new ArrayList<>();
        scores.byModality().forEach((name, group) -> rows.add(row(name, group, false)));
        scores.byDifficulty().forEach((level, group) -> {
            rows.add(row("L" + level, group, false));
            scores.byDifficultyAndModality()
                    .getOrDefault(level, Map.of())
                    .forEach((modality, cell) -> rows.add(row("L" + level + " " + modality, cell, false)));
        });
        rows.add(row("all", scores.overall(), true));
        return new Table("By modality and difficulty, percent", columns("samples"), rows);
    }

    /** One row a scenario; without rows when no catalogue was given. */
    static Table scenarios(Scores scores) {
        List<Table.Row> rows = new ArrayList<>();
        scores.byScenario().forEach((name, group) -> rows.add(row(name, group, false)));
        return new Table("By scenario, percent", columns("scenario"), rows);
    }

    /** Text less multimodal, metric by metric. */
    static Table gaps(Scores scores) {
        List<Table.Row> rows = new ArrayList<>();
        scores.textMinusMultimodal()
                .forEach((metric, gap) -> rows.add(Table.Row.of(List.of(metric.label(), Shown.percent(gap)))));
        return new Table("Text less multimodal, points", List.of("metric", "Δ"), rows);
    }

    /** PRPF Appendix C.3: where errors concentrate. */
    static Table scenarioErrors(Scores scores) {
        List<Table.Row> rows = new ArrayList<>();
        scores.byScenario()
                .forEach((name, group) -> rows.add(Table.Row.of(List.of(
                        name,
                        Integer.toString(group.n()),
                        Shown.percent(group.get(Metric.TYPE_ACC)),
                        Shown.percent(scores.scenarios().textMinusMultimodal().get(name)),
                        Integer.toString(scores.scenarios().offScene().getOrDefault(name, 0))))));
        return new Table(
                "Type-Acc, its text less multimodal, and off-scene mismatches by scenario",
                List.of("scenario", "n", "Type-Acc", "Δ", "off-scene"),
                rows);
    }

    /** PRPF Table 14. */
    static Table clusters(Scores scores) {
        List<Table.Row> rows = new ArrayList<>();
        scores.scenarios()
                .clusters()
                .forEach(cluster -> rows.add(Table.Row.of(List.of(
                        cluster.name() + ": " + String.join(", ", cluster.scenarios()),
                        Integer.toString(cluster.n()),
                        Shown.percent(cluster.typeAcc()),
                        Shown.percent(cluster.textMinusMultimodal())))));
        return new Table(
                "Clusters of scenarios (PRPF Table 14): Type-Acc, and the mean over scenarios of its text less multimodal",
                List.of("cluster", "n", "Type-Acc", "Δ"),
                rows);
    }

    /** ProactiveMobile Table 4. */
    static Table distribution(Scores scores) {
        List<Table.Row> rows = new ArrayList<>();
        scores.byDistribution().forEach((name, group) -> rows.add(row(name + " of distribution", group, false)));
        return new Table(
                "Scenarios that training saw (in) and never saw (out), percent", columns("distribution"), rows);
    }

    /** PRPF Table 6 and what follows from it. */
    static Table gate(GateDecisions gate) {
        return new Table(
                "The gate's decisions against whether help is due (PRPF Table 6), percent",
                List.of(
                        "",
                        "TP",
                        "FP",
                        "TN",
                        "FN",
                        "accuracy",
                        "recall",
                        "specificity",
                        "precision",
                        "F1",
                        "correct filtering",
                        "routed"),
                List.of(Table.Row.of(List.of(
                        "gate",
                        Integer.toString(gate.counts().truePositives()),
                        Integer.toString(gate.counts().falsePositives()),
                        Integer.toString(gate.counts().trueNegatives()),
                        Integer.toString(gate.counts().falseNegatives()),
                        Shown.percent(gate.accuracy()),
                        Shown.percent(gate.recall()),
                        Shown.percent(gate.specificity()),
                        Shown.percent(gate.precision()),
                        Shown.percent(gate.f1()),
                        Shown.percent(gate.correctFiltering()),
                        Shown.percent(gate.routed())))));
    }

    /** Both papers' rules of the best match. */
    static Table bestMatch(Scores scores) {
        BestMatchRules rules = scores.bestMatch();
        List<String> columns = new ArrayList<>(List.of("rule"));
        rules.prpf().values().keySet().forEach(metric -> columns.add(metric.label()));
        List<Table.Row> rows = new ArrayList<>();
        rows.add(row("PRPF: exact sequence, then F1", rules.prpf()));
        rows.add(row("ProactiveMobile: equivalent, then F1", rules.proactivemobile()));
        return new Table("By the rule that chooses the answer to compare with, percent", columns, rows);
    }

    private static Table.Row row(String name, BestMatchRules.Matched rule) {
        List<String> cells = new ArrayList<>(List.of(name));
        rule.values().values().forEach(value -> cells.add(Shown.percent(value)));
        return Table.Row.of(cells);
    }

    /** One row a system; the first is the one the table is about. */
    static Table systems(Map<String, Scores> systems) {
        List<Table.Row> rows = new ArrayList<>();
        systems.forEach((name, scores) -> rows.add(row(name, scores.overall(), rows.isEmpty())));
        return new Table("All systems on the same samples, percent", columns("system"), rows);
    }

    private static List<String> columns(String first) {
        List<String> columns = new ArrayList<>(List.of(first, "n", "silent", "malformed"));
        for (Metric metric : Metric.values()) {
            columns.add(metric.label() + (metric.higherIsBetter() ? " ↑" : " ↓"));
        }
        return columns;
    }

    private static Table.Row row(String name, Metrics group, boolean emphasised) {
        List<String> cells = new ArrayList<>(List.of(
                name,
                Integer.toString(group.n()),
                Integer.toString(group.silent()),
                Integer.toString(group.malformed())));
        for (Metric metric : Metric.values()) {
            cells.add(Shown.percent(group.get(metric)));
        }
        return new Table.Row(cells, emphasised);
    }

    /** PRPF Table 11: shares are of the errors of responses that could be read. */
    static Table categories(ErrorAnalysis analysis) {
        List<Table.Row> rows = new ArrayList<>();
        analysis.categories().forEach((category, count) -> {
            Double share = analysis.share(category);
            rows.add(Table.Row.of(List.of(category.label(), Integer.toString(count), Shown.number(share, "%.1f"))));
        });
        rows.add(new Table.Row(List.of("All Type-Acc errors", Integer.toString(analysis.errors()), Shown.NONE), true));
        return new Table(
                "Type-Acc errors by category; shares of the " + analysis.wellFormed() + " that could be read",
                List.of("category", "count", "%"),
                rows);
    }

    /** PRPF Table 12. */
    static Table patterns(ErrorAnalysis analysis) {
        int all = analysis.categories().getOrDefault(ErrorCategory.NON_EMPTY_MISMATCH, 0);
        List<Table.Row> rows = counts(analysis.patterns(), all);
        return new Table("Non-empty mismatches by pattern", List.of("pattern", "count", "%"), rows);
    }

    private static List<Table.Row> counts(Map<? extends Labelled, Integer> counts, int whole) {
        List<Table.Row> rows = new ArrayList<>();
        counts.forEach((kind, count) ->
                rows.add(Table.Row.of(List.of(kind.label(), Integer.toString(count), Shown.share(count, whole)))));
        return rows;
    }

    /** PRPF Table 13. */
    static Table paths(ErrorAnalysis analysis) {
        List<Table.Row> rows = new ArrayList<>();
        for (ErrorAnalysis.GatePath path : analysis.paths()) {
            String name = path.modality().label() + (path.gated() ? ", gated (g = 0)" : ", to the reasoner (g = 1)");
            rows.add(Table.Row.of(List.of(name, Integer.toString(path.n()), Shown.percent(path.typeAcc()))));
        }
        return new Table("Type-Acc by modality and gate decision, percent", List.of("path", "n", "Type-Acc"), rows);
    }

    /** PRPF Figure 4 as counts. */
    static Table outcomes(ErrorAnalysis analysis) {
        List<String> columns = new ArrayList<>(List.of("modality"));
        List.of(Outcome.values()).forEach(outcome -> columns.add(outcome.label()));
        List<Table.Row> rows = new ArrayList<>();
        analysis.outcomes().forEach((modality, counts) -> {
            List<String> cells = new ArrayList<>(List.of(modality));
            counts.values().forEach(count -> cells.add(Integer.toString(count)));
            rows.add(Table.Row.of(cells));
        });
        return new Table("Outcome under SR scoring, samples", columns, rows);
    }
}
