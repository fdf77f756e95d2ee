package dev.prpf.eval.suite;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a suite, printed by {@code eval suite --json}.
 *
 * @param suite its name
 * @param textEncoder id of the gates' text encoder; null if no gate is scored
 * @param reasoner id of the scored reasoner; null without one
 * @param primary the primary table, with exactly one primary row
 * @param secondary further tables
 * @param inner the only scores that a choice of the primary gate may use; may be empty
 * @param notes notes for readers of the tables
 */
public record SuiteResult(
        String suite,
        @Nullable String textEncoder,
        @Nullable String reasoner,
        @JsonUnwrapped SuiteTable primary,
        List<SuiteTable> secondary,
        List<InnerScore> inner,
        List<String> notes) {
    /**
     * A table of one set of points.
     *
     * @param title description of the points
     * @param n number of points
     * @param rows the rows, each with its own n, smaller if a gate did not see every point
     */
    public record SuiteTable(String title, int n, List<? extends Row> rows) {}

    /** A row of a table; all rows of a table have the same class. */
    public interface Row {
        /** Returns whether this is the row fixed before scoring. */
        boolean primary();

        /** Returns the headings of the cells. */
        List<String> columns();

        /** Returns the cells as texts, the row's name first. */
        List<String> cells();
    }

    /**
     * A gate's score on inner folds, which share no points with the held-out fold.
     *
     * @param name the gate's name
     * @param auc mean area under the ROC curve over the outer splits, 0 to 1; null if the inner points of a split have only one
     *     class
     */
    public record InnerScore(String name, @Nullable Double auc) {}

    public SuiteResult {
        long count = primary.rows().stream().filter(Row::primary).count();
        if (count != 1) {
            throw new IllegalArgumentException("suite " + suite + " has " + count + " primary rows, must be exactly 1");
        }
    }

    /** Returns a result with an additional first note. */
    public SuiteResult withNote(String note) {
        List<String> more = new ArrayList<>(List.of(note));
        more.addAll(notes);
        return new SuiteResult(suite, textEncoder, reasoner, primary, secondary, inner, more);
    }

    /** Returns the text to print, with an asterisk at the primary row. */
    public String text() {
        StringBuilder text = new StringBuilder(suite).append(": ").append(table(primary));
        secondary.forEach(table -> text.append('\n').append(table(table)));
        text.append(
                """

                * the primary row, fixed before scoring. Percent, AUC 0 to 1; in brackets 95 % bootstrap intervals over whole groups,
                of "ours less it" paired: both on the same draws. FTR = FP / (FP + TN). '-': does not exist.
                """);
        if (!inner.isEmpty()) {
            text.append("AUC on inner folds, all that a choice of gates may look at: ")
                    .append(inner.stream()
                            .map(score -> score.name() + " " + Shown.number(score.auc(), "%.3f"))
                            .collect(Collectors.joining("; ")))
                    .append('\n');
        }
        if (textEncoder != null) {
            text.append("Text encoder: ").append(textEncoder).append('\n');
        }
        if (reasoner != null) {
            text.append("Reasoner: ").append(reasoner).append('\n');
        }
        return text.append(String.join("\n", notes)).toString();
    }

    private static String table(SuiteTable table) {
        List<Table.Row> rows = table.rows().stream()
                .map(row -> new Table.Row(marked(row), row.primary()))
                .toList();
        return new Table(
                        table.title() + " (n = " + table.n() + ")",
                        table.rows().get(0).columns(),
                        rows)
                .toText();
    }

    private static List<String> marked(Row row) {
        List<String> cells = new ArrayList<>(row.cells());
        cells.set(0, (row.primary() ? "* " : "  ") + cells.get(0));
        return cells;
    }
}
