package dev.prpf.base.report;

import dev.prpf.base.statistics.Interval;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A horizontal bar chart from 0 to 100 percent, one group of bars per row, with intervals as whiskers. A missing metric has a
 * text instead of a bar.
 */
public final class BarChart {
    private static final int WIDTH = 360;
    private static final int LEFT = 8;
    private static final int RIGHT = 316;
    private static final int BAR = 14;
    private static final int GAP = 10;

    private BarChart() {}

    /**
     * One bar of the chart.
     *
     * @param percent its length, or null for a missing metric
     * @param interval its whisker, or null
     */
    public record Bar(@Nullable Double percent, @Nullable Interval interval) {}

    /**
     * Draws the chart as SVG.
     *
     * @param description for screen readers
     * @param series the names of a group's bars
     * @param groups by label, top to bottom; a group has one bar per series, in their order
     */
    public static String svg(String description, List<String> series, Map<String, List<Bar>> groups) {
        int groupHeight = 18 + series.size() * (BAR + 2) + GAP;
        int top = 14 + 16 * ((series.size() + 2) / 3);
        int height = top + groups.size() * groupHeight + 18;
        Svg svg = new Svg(WIDTH, height);
        svg.legend(series, LEFT, 3, 116);
        for (int percent = 0; percent <= 100; percent += 25) {
            svg.line(x(percent), top, x(percent), height - 16, "grid");
            svg.text(x(percent), height - 4, percent == 0 ? "start" : "middle", "soft", Integer.toString(percent));
        }
        double y = top + 4;
        for (Map.Entry<String, List<Bar>> group : groups.entrySet()) {
            svg.text(LEFT, y + 11, "start", "ink strong", group.getKey());
            for (int s = 0; s < group.getValue().size(); s++) {
                bar(
                        svg,
                        y + 18 + s * (BAR + 2),
                        s,
                        series.get(s),
                        group.getValue().get(s));
            }
            y += groupHeight;
        }
        return svg.render(description);
    }

    private static void bar(Svg svg, double y, int s, String name, Bar bar) {
        Double percent = bar.percent();
        if (percent == null) {
            svg.text(LEFT + 2, y + 11, "start", "soft", "no such sample");
            return;
        }
        String shown = String.format(Locale.ROOT, "%.1f", percent);
        svg.bar(LEFT, y, x(percent) - LEFT, BAR, "s" + s, name + " " + shown);
        double end = x(percent);
        Interval interval = bar.interval();
        if (interval != null) {
            double middle = y + BAR / 2.0;
            svg.line(x(interval.low()), middle, x(interval.high()), middle, "whisker");
            svg.line(x(interval.low()), middle - 3, x(interval.low()), middle + 3, "whisker");
            svg.line(x(interval.high()), middle - 3, x(interval.high()), middle + 3, "whisker");
            end = Math.max(end, x(interval.high()));
        }
        svg.text(end + 5, y + 11, "start", "ink", shown);
    }

    private static double x(double percent) {
        return LEFT + (RIGHT - LEFT) * percent / 100;
    }
}
