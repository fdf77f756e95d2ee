package dev.prpf.eval.report;

import dev.prpf.base.config.Rule;
import dev.prpf.base.config.StrictYaml;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the two papers print, number by number: {@code published.yaml}. They are of ProactiveMobile's test set and a language model's
 * verdicts.
 *
 * @param tables in the papers' order
 */
public record PublishedResults(List<PublishedTable> tables) {
    private static final String FILE = "published.yaml";

    public PublishedResults {
        tables = List.copyOf(tables);
    }

    /**
     * One table.
     *
     * @param paper "PRPF" or "ProactiveMobile"
     * @param table its number there
     * @param shows what it is about
     * @param columns group/metric, with the keys of {@code eval score --json}
     * @param rows as many values as columns
     */
    public record PublishedTable(
            String paper, String table, String shows, List<String> columns, List<PublishedRow> rows) {
        public PublishedTable {
            columns = List.copyOf(columns);
            rows = List.copyOf(rows);
            for (PublishedRow row : rows) {
                int values = row.values().size();
                Rule.require(
                        values == columns.size(), "values of " + row.name(), values, "one a column, " + columns.size());
            }
        }

        /** The rows of a section. */
        public List<PublishedRow> section(String section) {
            return rows.stream().filter(row -> section.equals(row.section())).toList();
        }

        /** "PRPF Table 9". */
        public String title() {
            return paper + " Table " + table;
        }
    }

    /**
     * One row.
     *
     * @param section of the table, such as the difficulty, or null
     * @param name the system, or what the row counts
     * @param values in percent, or samples
     */
    public record PublishedRow(@Nullable String section, String name, List<Double> values) {
        public PublishedRow {
            values = List.copyOf(values);
        }
    }

    /** The file that the program ships. */
    public static PublishedResults shipped() {
        return StrictYaml.shipped(FILE, PublishedResults.class);
    }

    /** A table that is there. */
    public PublishedTable table(String paper, String number) {
        return tables.stream()
                .filter(table -> table.paper().equals(paper) && table.table().equals(number))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(FILE + " has no table " + number + " of the paper " + paper));
    }
}
