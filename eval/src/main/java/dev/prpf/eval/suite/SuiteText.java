package dev.prpf.eval.suite;

import dev.prpf.mpp.gate.ConfusionMatrix;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A suite's tables as aligned text. */
public final class SuiteText {
    private static final List<String> HEADINGS =
            List.of("kind", "n", "P", "R", "F1", "Acc", "FTR", "AUC", "ours less it: F1", "AUC");
    private static final String MISSING = "-";

    private SuiteText() {}

    /** The lines to print, the primary row marked with an asterisk. */
    public static List<String> lines(SuiteResult result) {
        List<String> lines = new ArrayList<>();
        table(result.suite() + ": " + result.primary().title(), result.primary(), lines);
        for (SuiteResult.Table table : result.secondary()) {
            lines.add("");
            table(table.title(), table, lines);
        }
        lines.add("");
        lines.add(
                "* the primary row, fixed before scoring. Percent, AUC 0 to 1; in brackets 95 % bootstrap intervals over whole groups,");
        lines.add(
                "of \"ours less it\" paired: both gates on the same draws. FTR = FP / (FP + TN). '-': does not exist.");
        if (!result.inner().isEmpty()) {
            lines.add("AUC on inner folds, all that a choice of gates may look at: "
                    + result.inner().stream()
                            .map(inner -> inner.name() + " " + number(inner.auc(), "%.3f"))
                            .collect(Collectors.joining("; ")));
        }
        lines.addAll(result.notes());
        return lines;
    }

    private static void table(String title, SuiteResult.Table table, List<String> lines) {
        List<List<String>> cells = new ArrayList<>();
        List<String> headings = new ArrayList<>(List.of("gate"));
        headings.addAll(HEADINGS);
        cells.add(headings);
        table.rows().forEach(row -> cells.add(cells(row)));
        lines.add(title + " (n = " + table.n() + ")");
        for (List<String> row : cells) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                int at = column;
                int width = cells.stream()
                        .mapToInt(other -> other.get(at).length())
                        .max()
                        .orElse(0);
                line.append(column < 2 ? left(row.get(column), width) : right(row.get(column), width))
                        .append("  ");
            }
            lines.add(line.toString().stripTrailing());
        }
    }

    private static List<String> cells(SuiteRow row) {
        ConfusionMatrix counts = row.counts();
        SuiteRow.Lead lead = row.oursMinus();
        return List.of(
                (row.primary() ? "* " : "  ") + row.name(),
                row.kind().label(),
                Integer.toString(counts.total()),
                number(counts.precision(), "%.2f"),
                number(counts.recall(), "%.2f"),
                number(counts.f1(), "%.2f") + interval(row.intervals().f1(), "%.1f"),
                number(counts.accuracy(), "%.2f"),
                number(counts.falseTriggerRate(), "%.2f")
                        + interval(row.intervals().falseTriggerRate(), "%.1f"),
                number(row.auc(), "%.3f"),
                lead == null ? "" : number(lead.f1(), "%+.2f") + interval(lead.f1Interval(), "%+.1f"),
                lead == null ? "" : number(lead.auc(), "%+.3f") + interval(lead.aucInterval(), "%+.3f"));
    }

    private static String interval(@Nullable List<Double> interval, String format) {
        return interval == null
                ? ""
                : " [" + number(interval.get(0), format) + ", " + number(interval.get(1), format) + "]";
    }

    private static String number(@Nullable Double value, String format) {
        return value == null ? MISSING : String.format(Locale.ROOT, format, value);
    }

    private static String left(String text, int width) {
        return text + " ".repeat(width - text.length());
    }

    private static String right(String text, int width) {
        return " ".repeat(width - text.length()) + text;
    }
}
