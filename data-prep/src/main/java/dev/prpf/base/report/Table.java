package dev.prpf.base.report;

import dev.prpf.base.report.ReportPage.Markdown;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * A table of a report.
 *
 * @param caption what it shows
 * @param columns headings; the first column names the row
 * @param rows as many cells as columns
 */
public record Table(String caption, List<String> columns, List<Row> rows) {
    /**
     * A row of cells.
     *
     * @param cells the first names the row, the others are numbers
     * @param emphasised whether the table is about this row
     */
    public record Row(List<String> cells, boolean emphasised) {
        public static Row of(List<String> cells) {
            return new Row(cells, false);
        }
    }

    /**
     * Collects the rows of a table.
     *
     * @param columns headings, or collections of headings
     */
    public static Builder of(Object... columns) {
        return new Builder(cells(columns));
    }

    /**
     * Builder of a table. A cell is a text, a count, a percentage, null for a missing value, or a collection of cells. A short row is filled up
     * with missing values.
     */
    public static final class Builder {
        private final List<String> columns;
        private final List<Row> rows = new ArrayList<>();

        private Builder(List<String> columns) {
            this.columns = columns;
        }

        public Builder row(@Nullable Object... cells) {
            return row(false, cells(cells));
        }

        /** Adds an emphasised row: the table is about it. */
        public Builder emphasised(@Nullable Object... cells) {
            return row(true, cells(cells));
        }

        /** Adds a row, which is emphasised if it is the first. */
        public Builder firstEmphasised(@Nullable Object... cells) {
            return row(rows.isEmpty(), cells(cells));
        }

        private Builder row(boolean emphasised, List<String> cells) {
            while (cells.size() < columns.size()) {
                cells.add(Shown.NONE);
            }
            rows.add(new Row(cells, emphasised));
            return this;
        }

        public Table captioned(String caption) {
            return new Table(caption, columns, rows);
        }
    }

    private static List<String> cells(@Nullable Object... values) {
        List<String> cells = new ArrayList<>();
        for (Object value : values) {
            if (value instanceof Collection<?> several) {
                cells.addAll(cells(several.toArray()));
            } else {
                cells.add(
                        value instanceof Double percent ? Shown.percent(percent) : Objects.toString(value, Shown.NONE));
            }
        }
        return cells;
    }

    public Table {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
        for (Row row : rows) {
            if (row.cells().size() != columns.size()) {
                throw new IllegalArgumentException(
                        "table \"" + caption + "\" has " + columns.size() + " columns, row \"" + row.cells() + "\" has "
                                + row.cells().size());
            }
        }
    }

    /** Formats for a terminal: columns padded, numbers to the right. */
    public String toText() {
        List<List<String>> lines =
                Stream.concat(Stream.of(columns), rows.stream().map(Row::cells)).toList();
        int[] widths = IntStream.range(0, columns.size())
                .map(c -> lines.stream()
                        .mapToInt(line -> line.get(c).length())
                        .max()
                        .orElse(0))
                .toArray();
        return lines.stream().map(line -> padded(line, widths)).collect(Collectors.joining("\n", caption + "\n", "\n"));
    }

    private static String padded(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int c = 0; c < widths.length; c++) {
            String cell = cells.get(c);
            line.append(c == 0 ? StringUtils.rightPad(cell, widths[c]) : "  " + StringUtils.leftPad(cell, widths[c]));
        }
        return line.toString().stripTrailing();
    }

    /** Formats as a Markdown table, numbers to the right. */
    public String toMarkdown() {
        StringBuilder markdown = new StringBuilder("**" + Markdown.escape(caption) + "**\n\n");
        markdown.append(markdownRow(columns, false)).append('|');
        for (int c = 0; c < columns.size(); c++) {
            markdown.append(c == 0 ? " --- |" : " ---: |");
        }
        markdown.append('\n');
        rows.forEach(row -> markdown.append(markdownRow(row.cells(), row.emphasised())));
        return markdown.toString();
    }

    private static String markdownRow(List<String> cells, boolean emphasised) {
        String mark = emphasised ? "**" : "";
        return cells.stream()
                .map(cell -> cell.isEmpty() ? "" : mark + Markdown.escape(cell) + mark)
                .collect(Collectors.joining(" | ", "| ", " |\n"));
    }
}
