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
 */
public record SuiteResult(String suite, Table primary, List<Table> secondary) {
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

    public SuiteResult {
        secondary = List.copyOf(secondary);
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
        return object;
    }
}
