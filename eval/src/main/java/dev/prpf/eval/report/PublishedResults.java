package dev.prpf.eval.report;

import dev.prpf.base.config.Rule;
import dev.prpf.base.config.StrictYaml;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Published numbers of both papers: {@code published.yaml}, measured on ProactiveMobile's test set with a language model as judge.
 *
 * @param tables in the papers' order
 */
public record PublishedResults(List<PublishedTable> tables) {
    private static final String FILE = "published.yaml";

    /**
     * A table of a paper.
     *
     * @param paper "PRPF" or "ProactiveMobile"
     * @param table its number there
     * @param shows its subject
     * @param columns group/metric, with the keys of {@code eval score --json}
     * @param rows each with one value for each column
     */
    public record PublishedTable(
            String paper, String table, String shows, List<String> columns, List<PublishedRow> rows) {
        public PublishedTable {
            for (PublishedRow row : rows) {
                int values = row.values().size();
                Rule.require(
                        values == columns.size(), "values of " + row.name(), values, "one a column, " + columns.size());
            }
        }

        public List<PublishedRow> section(String section) {
            return rows.stream().filter(row -> section.equals(row.section())).toList();
        }

        /** Returns a title such as "PRPF Table 9". */
        public String title() {
            return paper + " Table " + table;
        }
    }

    /**
     * A row of a table.
     *
     * @param section of the table, such as the difficulty, or null
     * @param name the system or the counted quantity
     * @param values in percent, or samples
     */
    public record PublishedRow(@Nullable String section, String name, List<Double> values) {}

    /** Returns the results that the program includes. */
    public static PublishedResults shipped() {
        return StrictYaml.shipped(FILE, PublishedResults.class);
    }

    /** Returns a table, which must exist. */
    public PublishedTable table(String paper, String number) {
        return tables.stream()
                .filter(table -> table.paper().equals(paper) && table.table().equals(number))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(FILE + " has no table " + number + " of the paper " + paper));
    }
}
