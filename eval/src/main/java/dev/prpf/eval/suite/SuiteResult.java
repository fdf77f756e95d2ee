package dev.prpf.eval.suite;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.report.Table;
import dev.prpf.base.statistics.Interval;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A suite's tables; what {@code eval suite --json} prints.
 *
 * @param suite its name
 * @param textEncoder the id of the text encoder whose vectors the gates see
 * @param primary the table that counts; exactly one of its rows is primary
 * @param secondary further tables, for orientation
 * @param inner all that a choice of the primary gate may look at; empty where the suite does not keep it
 * @param notes what a reader of the tables must know
 */
public record SuiteResult(
        String suite,
        String textEncoder,
        @JsonUnwrapped SuiteTable primary,
        List<SuiteTable> secondary,
        List<InnerScore> inner,
        List<String> notes) {
    private static final List<String> COLUMNS =
            List.of("gate", "kind", "n", "P", "R", "F1", "Acc", "FTR", "AUC", "ours less it: F1", "AUC");

    /**
     * Rows over one set of points.
     *
     * @param title what the points are
     * @param n how many points
     * @param rows each with an n of its own, smaller where a gate was not shown every point
     */
    public record SuiteTable(String title, int n, List<SuiteRow> rows) {
        public SuiteTable {
            rows = List.copyOf(rows);
        }
    }

    /**
     * A gate on inner folds, which share nothing with the points held out at the time.
     *
     * @param name which gate
     * @param auc mean area under the ROC curve over the outer splits, 0 to 1; null if the inner points of one are all of one class
     */
    public record InnerScore(String name, @Nullable Double auc) {}

    public SuiteResult {
        secondary = List.copyOf(secondary);
        inner = List.copyOf(inner);
        notes = List.copyOf(notes);
        long count = primary.rows().stream().filter(SuiteRow::primary).count();
        if (count != 1) {
            throw new IllegalArgumentException("suite " + suite + " has " + count + " primary rows, must be exactly 1");
        }
    }

    /** The text to print, the primary row marked with an asterisk. */
    public String text() {
        StringBuilder text = new StringBuilder(suite).append(": ").append(table(primary));
        secondary.forEach(table -> text.append('\n').append(table(table)));
        text.append(
                """

                * the primary row, fixed before scoring. Percent, AUC 0 to 1; in brackets 95 % bootstrap intervals over whole groups,
                of "ours less it" paired: both gates on the same draws. FTR = FP / (FP + TN). '-': does not exist.
                """);
        if (!inner.isEmpty()) {
            text.append("AUC on inner folds, all that a choice of gates may look at: ")
                    .append(inner.stream()
                            .map(score -> score.name() + " " + number(score.auc(), "%.3f"))
                            .collect(Collectors.joining("; ")))
                    .append('\n');
        }
        text.append("Text encoder: ").append(textEncoder).append('\n');
        return text.append(String.join("\n", notes)).toString();
    }

    private static String table(SuiteTable table) {
        List<Table.Row> rows = table.rows().stream()
                .map(row -> new Table.Row(cells(row), row.primary()))
                .toList();
        return new Table(table.title() + " (n = " + table.n() + ")", COLUMNS, rows).toText();
    }

    private static List<String> cells(SuiteRow row) {
        SuiteRow.Lead lead = row.oursMinus();
        return List.of(
                (row.primary() ? "* " : "  ") + row.name(),
                row.kind().key(),
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
