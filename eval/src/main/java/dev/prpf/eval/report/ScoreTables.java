package dev.prpf.eval.report;

import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.data.Modality;
import dev.prpf.eval.score.ErrorAnalysis;
import dev.prpf.eval.score.ErrorCategory;
import dev.prpf.eval.score.Figure;
import dev.prpf.eval.score.Metrics;
import dev.prpf.eval.score.MismatchPattern;
import dev.prpf.eval.score.Outcome;
import dev.prpf.eval.score.Scores;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Scores as tables. */
public final class ScoreTables {
    private ScoreTables() {}

    /** One row a headline figure: value, interval, samples it is over. */
    public static Table headline(Scores scores) {
        List<Table.Row> rows = new ArrayList<>();
        for (Figure figure : Figure.values()) {
            Scores.Group overall = scores.overall();
            rows.add(Table.Row.of(List.of(
                    figure.label(),
                    shown(overall, figure),
                    Shown.interval(overall.intervals().get(figure)),
                    Integer.toString(denominator(overall.metrics(), figure)))));
        }
        String level =
                String.format(java.util.Locale.ROOT, "%.0f", scores.bootstrap().level());
        return new Table(
                "Overall, percent (judge: " + scores.judge() + ")",
                List.of("figure", "value", level + " % interval", "n"),
                rows);
    }

    /** How many samples a figure is over. */
    static int denominator(Metrics metrics, Figure figure) {
        return switch (figure) {
            case TYPE_ACC, SR, PRECISION, RECALL, F1 -> metrics.n();
            case SR_ACT -> metrics.n() - metrics.silent();
            case FTR -> metrics.silent();
            case FTR_MATCHED -> metrics.silentMatched();
        };
    }

    /** One row a modality and a difficulty, then all. */
    public static Table breakdown(Scores scores) {
        List<Table.Row> rows = new ArrayList<>();
        scores.byModality().forEach((name, group) -> rows.add(row(name, group, false)));
        scores.byDifficulty().forEach((level, group) -> rows.add(row("L" + level, group, false)));
        rows.add(row("all", scores.overall(), true));
        return new Table("By modality and difficulty, percent", columns("samples"), rows);
    }

    /** One row a scenario; without rows when no catalogue was given. */
    public static Table scenarios(Scores scores) {
        List<Table.Row> rows = new ArrayList<>();
        scores.byScenario().forEach((name, group) -> rows.add(row(name, group, false)));
        return new Table("By scenario, percent", columns("scenario"), rows);
    }

    /** One row a system; the first is the one the table is about. */
    public static Table systems(Map<String, Scores> systems) {
        List<Table.Row> rows = new ArrayList<>();
        systems.forEach((name, scores) -> rows.add(row(name, scores.overall(), rows.isEmpty())));
        return new Table("All systems on the same samples, percent", columns("system"), rows);
    }

    private static List<String> columns(String first) {
        List<String> columns = new ArrayList<>(List.of(first, "n", "silent", "malformed"));
        for (Figure figure : Figure.values()) {
            columns.add(figure.label() + (figure.higherIsBetter() ? " ↑" : " ↓"));
        }
        return columns;
    }

    private static Table.Row row(String name, Scores.Group group, boolean emphasised) {
        List<String> cells = new ArrayList<>(List.of(
                name,
                Integer.toString(group.metrics().n()),
                Integer.toString(group.metrics().silent()),
                Integer.toString(group.metrics().malformed())));
        for (Figure figure : Figure.values()) {
            cells.add(shown(group, figure));
        }
        return new Table.Row(cells, emphasised);
    }

    /** PRPF Table 11. */
    public static Table categories(ErrorAnalysis analysis) {
        List<Table.Row> rows = new ArrayList<>();
        for (ErrorCategory category : ErrorCategory.values()) {
            rows.add(count(category.label(), analysis.categories().getOrDefault(category, 0), analysis.errors()));
        }
        rows.add(new Table.Row(
                List.of(
                        "All Type-Acc errors",
                        Integer.toString(analysis.errors()),
                        Shown.share(analysis.errors(), analysis.errors())),
                true));
        return new Table("Type-Acc errors by category", List.of("category", "count", "% of errors"), rows);
    }

    /** PRPF Table 12. */
    public static Table patterns(ErrorAnalysis analysis) {
        int all = analysis.categories().getOrDefault(ErrorCategory.NON_EMPTY_MISMATCH, 0);
        List<Table.Row> rows = new ArrayList<>();
        for (MismatchPattern pattern : MismatchPattern.values()) {
            rows.add(count(pattern.label(), analysis.patterns().getOrDefault(pattern, 0), all));
        }
        return new Table("Non-empty mismatches by pattern", List.of("pattern", "count", "%"), rows);
    }

    /** PRPF Table 13. */
    public static Table paths(ErrorAnalysis analysis) {
        List<Table.Row> rows = new ArrayList<>();
        for (ErrorAnalysis.GatePath path : analysis.paths()) {
            String name = path.modality().label() + (path.gated() ? ", gated (g = 0)" : ", to the reasoner (g = 1)");
            rows.add(Table.Row.of(List.of(name, Integer.toString(path.n()), Shown.percent(path.typeAcc()))));
        }
        return new Table("Type-Acc by modality and gate decision, percent", List.of("path", "n", "Type-Acc"), rows);
    }

    /** PRPF Figure 4 as counts. */
    public static Table outcomes(ErrorAnalysis analysis) {
        List<String> columns = new ArrayList<>(List.of("modality"));
        List.of(Outcome.values()).forEach(outcome -> columns.add(outcome.label()));
        List<Table.Row> rows = new ArrayList<>();
        for (Map.Entry<Modality, Map<Outcome, Integer>> entry :
                analysis.outcomes().entrySet()) {
            List<String> cells = new ArrayList<>(List.of(entry.getKey().label()));
            for (Outcome outcome : Outcome.values()) {
                cells.add(Integer.toString(entry.getValue().getOrDefault(outcome, 0)));
            }
            rows.add(Table.Row.of(cells));
        }
        return new Table("Outcome under SR scoring, samples", columns, rows);
    }

    static String shown(Scores.Group group, Figure figure) {
        return Shown.percent(group.metrics().get(figure));
    }

    private static Table.Row count(String label, int count, int whole) {
        return Table.Row.of(List.of(label, Integer.toString(count), Shown.share(count, whole)));
    }
}
