package dev.prpf.eval.suite;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
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
        @JsonUnwrapped Table primary,
        List<Table> secondary,
        List<InnerScore> inner,
        List<String> notes) {
    /**
     * Rows over one set of points.
     *
     * @param title what the points are
     * @param n how many points
     * @param rows each with an n of its own, smaller where a gate was not shown every point
     */
    public record Table(String title, int n, List<SuiteRow> rows) {
        public Table {
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
}
