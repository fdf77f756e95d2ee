package dev.prpf.base.report;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;

/**
 * A table of texts.
 *
 * @param caption what it shows
 * @param columns headings; the first column names the row
 * @param rows as many cells as columns
 */
public record Table(String caption, List<String> columns, List<Row> rows) {
    /**
     * One row.
     *
     * @param cells the first names the row, the others are numbers
     * @param emphasised the row the table is about
     */
    public record Row(List<String> cells, boolean emphasised) {
        public Row {
            cells = List.copyOf(cells);
        }

        public static Row of(List<String> cells) {
            return new Row(cells, false);
        }
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

    /** For a terminal: columns padded, numbers to the right. */
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

    /** As a Markdown table, numbers to the right. */
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
