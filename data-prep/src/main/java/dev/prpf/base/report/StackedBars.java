package dev.prpf.base.report;

import java.util.List;
import java.util.Locale;

/** Horizontal bars of parts that add up to a whole, one bar a row. */
public final class StackedBars {
    private static final int WIDTH = 360;
    private static final int LEFT = 8;
    private static final int RIGHT = 352;

    private StackedBars() {}

    /**
     * One bar.
     *
     * @param label its name
     * @param counts of each part, in the order of the parts
     */
    public record Row(String label, List<Integer> counts) {
        public Row {
            counts = List.copyOf(counts);
        }

        private int total() {
            return counts.stream().mapToInt(Integer::intValue).sum();
        }
    }

    /**
     * Draws.
     *
     * @param description for screen readers
     * @param parts the names of a bar's parts
     * @param rows top to bottom
     */
    public static String svg(String description, List<String> parts, List<Row> rows) {
        int top = 8 + 16 * ((parts.size() + 1) / 2);
        Svg svg = new Svg(WIDTH, top + rows.size() * 48);
        svg.legend(parts, LEFT, 2, 176);
        for (int r = 0; r < rows.size(); r++) {
            row(svg, top + 4 + r * 48, parts, rows.get(r));
        }
        return svg.render(description);
    }

    private static void row(Svg svg, double y, List<String> parts, Row row) {
        int total = row.total();
        svg.text(LEFT, y + 12, "start", "ink strong", row.label() + ", n = " + total);
        double x = LEFT;
        for (int p = 0; p < parts.size() && total > 0; p++) {
            int count = row.counts().get(p);
            double width = (double) (RIGHT - LEFT) * count / total;
            if (count > 0) {
                String share = String.format(Locale.ROOT, "%.1f", 100.0 * count / total);
                svg.bar(x, y + 18, width, 20, "s" + p, parts.get(p) + ": " + count + " (" + share + " %)");
                if (width > 30) {
                    svg.text(x + width / 2, y + 32, "middle", "on-bar", share);
                }
            }
            x += width;
        }
    }
}
