package dev.prpf.eval.suite;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A suite's tables.
 *
 * @param suite its name
 * @param primary the table that counts; exactly one of its rows is primary
 * @param secondary further tables, for orientation
 * @param inner all that a choice of the primary gate may look at; empty where the suite does not keep it
 * @param notes what a reader of the tables must know
 */
public record SuiteResult(
        String suite, Table primary, List<Table> secondary, List<InnerScore> inner, List<String> notes) {
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

        private Map<String, @Nullable Object> json() {
            Map<String, @Nullable Object> table = new LinkedHashMap<>();
            table.put("title", title);
            table.put("n", n);
            table.put("rows", rows.stream().map(SuiteRow::json).toList());
            return table;
        }
    }

    /**
     * A gate on inner folds, which share nothing with the points held out at the time.
     *
     * @param name which gate
     * @param auc mean area under the ROC curve over the parts, 0 to 1; null if the inner points of some part are all of one class
     */
    public record InnerScore(String name, @Nullable Double auc) {
        private Map<String, @Nullable Object> json() {
            Map<String, @Nullable Object> score = new LinkedHashMap<>();
            score.put("name", name);
            score.put("auc", auc);
            return score;
        }
    }

    public SuiteResult {
        secondary = List.copyOf(secondary);
        inner = List.copyOf(inner);
        notes = List.copyOf(notes);
        long count = primary.rows().stream().filter(SuiteRow::primary).count();
        if (count != 1) {
            throw new IllegalArgumentException("suite " + suite + " has " + count + " primary rows, must be exactly 1");
        }
    }

    /** The one row fixed before scoring. */
    public SuiteRow primaryRow() {
        return primary.rows().stream().filter(SuiteRow::primary).findFirst().orElseThrow();
    }

    /** The object of the command's {@code --json}. */
    public Map<String, @Nullable Object> json() {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("suite", suite);
        object.putAll(primary.json());
        object.put("secondary", secondary.stream().map(Table::json).toList());
        object.put("inner", inner.stream().map(InnerScore::json).toList());
        object.put("notes", notes);
        return object;
    }
}
