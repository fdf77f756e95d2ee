package dev.prpf.base.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A stacked horizontal bar chart, one bar per row. */
public final class StackedBars {
    private static final int WIDTH = 360;
    private static final int LEFT = 8;
    private static final int RIGHT = 352;

    private StackedBars() {}

    /**
     * Draws the chart as SVG.
     *
     * @param description for screen readers
     * @param parts the names of a bar's parts
     * @param rows top to bottom, by label: the counts of each part, in the order of the parts
     */
    public static String svg(String description, List<String> parts, Map<String, List<Integer>> rows) {
        int top = 8 + 16 * ((parts.size() + 1) / 2);
        Svg svg = new Svg(WIDTH, top + rows.size() * 48);
        svg.legend(parts, LEFT, 2, 176);
        double y = top + 4;
        for (Map.Entry<String, List<Integer>> row : rows.entrySet()) {
            int total = row.getValue().stream().mapToInt(Integer::intValue).sum();
            svg.text(LEFT, y + 12, "start", "ink strong", row.getKey() + ", n = " + total);
            bar(svg, y, parts, row.getValue(), total);
            y += 48;
        }
        return svg.render(description);
    }

    private static void bar(Svg svg, double y, List<String> parts, List<Integer> counts, int total) {
        double x = LEFT;
        for (int p = 0; p < parts.size() && total > 0; p++) {
            int count = counts.get(p);
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
