package dev.prpf.eval.suite;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A suite's tables; what {@code eval suite --json} prints.
 *
 * @param suite its name
 * @param textEncoder the id of the text encoder whose vectors the gates see; null where no gate is scored
 * @param reasoner the id of the reasoner that is scored; null where none is
 * @param primary the table that counts; exactly one of its rows is primary
 * @param secondary further tables, for orientation
 * @param inner all that a choice of the primary gate may look at; empty where the suite does not keep it
 * @param notes what a reader of the tables must know
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
     * Rows over one set of points.
     *
     * @param title what the points are
     * @param n how many points
     * @param rows each with an n of its own, smaller where a gate was not shown every point
     */
    public record SuiteTable(String title, int n, List<? extends Row> rows) {
        public SuiteTable {
            rows = List.copyOf(rows);
        }
    }

    /** A row of a table; all rows of one table are of one kind. */
    public interface Row {
        /** Whether it is the one row fixed before scoring. */
        boolean primary();

        /** Headings of the cells. */
        List<String> columns();

        /** As texts, the row's name first. */
        List<String> cells();
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
        long count = primary.rows().stream().filter(Row::primary).count();
        if (count != 1) {
            throw new IllegalArgumentException("suite " + suite + " has " + count + " primary rows, must be exactly 1");
        }
    }

    /** With one more thing that a reader must know, first. */
    public SuiteResult withNote(String note) {
        List<String> more = new ArrayList<>(List.of(note));
        more.addAll(notes);
        return new SuiteResult(suite, textEncoder, reasoner, primary, secondary, inner, more);
    }

    /** The text to print, the primary row marked with an asterisk. */
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
