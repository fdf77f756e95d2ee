package dev.prpf.eval.suite;

import dev.prpf.base.report.Table;
import dev.prpf.base.statistics.Interval;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A suite's tables as aligned text. */
public final class SuiteText {
    private static final List<String> COLUMNS =
            List.of("gate", "kind", "n", "P", "R", "F1", "Acc", "FTR", "AUC", "ours less it: F1", "AUC");

    private SuiteText() {}

    /** The text to print, the primary row marked with an asterisk. */
    public static String of(SuiteResult result) {
        StringBuilder text = new StringBuilder(result.suite()).append(": ").append(table(result.primary()));
        result.secondary().forEach(table -> text.append('\n').append(table(table)));
        text.append(
                """

                * the primary row, fixed before scoring. Percent, AUC 0 to 1; in brackets 95 % bootstrap intervals over whole groups,
                of "ours less it" paired: both gates on the same draws. FTR = FP / (FP + TN). '-': does not exist.
                """);
        if (!result.inner().isEmpty()) {
            text.append("AUC on inner folds, all that a choice of gates may look at: ")
                    .append(result.inner().stream()
                            .map(inner -> inner.name() + " " + number(inner.auc(), "%.3f"))
                            .collect(Collectors.joining("; ")))
                    .append('\n');
        }
        text.append("Text encoder: ").append(result.textEncoder()).append('\n');
        return text.append(String.join("\n", result.notes())).toString();
    }

    private static String table(SuiteResult.Table table) {
        List<Table.Row> rows = table.rows().stream()
                .map(row -> new Table.Row(cells(row), row.primary()))
                .toList();
        return new Table(table.title() + " (n = " + table.n() + ")", COLUMNS, rows).toText();
    }

    private static List<String> cells(SuiteRow row) {
        SuiteRow.Lead lead = row.oursMinus();
        return List.of(
                (row.primary() ? "* " : "  ") + row.name(),
                row.kind().label(),
                Integer.toString(row.n()),
                number(row.precision(), "%.2f"),
                number(row.recall(), "%.2f"),
                number(row.f1(), "%.2f") + interval(row.f1Ci(), "%.1f"),
                number(row.accuracy(), "%.2f"),
                number(row.ftr(), "%.2f") + interval(row.ftrCi(), "%.1f"),
                number(row.auc(), "%.3f"),
                lead == null ? "" : number(lead.f1(), "%+.2f") + interval(lead.f1Ci(), "%+.1f"),
                lead == null ? "" : number(lead.auc(), "%+.3f") + interval(lead.aucCi(), "%+.3f"));
    }

    private static String interval(@Nullable Interval interval, String format) {
        return interval == null
                ? ""
                : " [" + number(interval.low(), format) + ", " + number(interval.high(), format) + "]";
    }

    private static String number(@Nullable Double value, String format) {
        return value == null ? "-" : String.format(Locale.ROOT, format, value);
    }
}
