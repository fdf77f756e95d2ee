package dev.prpf.base.report;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** A line chart with a common horizontal axis. */
public final class LineChart {
    private static final int WIDTH = 360;
    private static final int HEIGHT = 250;
    private static final int LEFT = 46;
    private static final int RIGHT = 350;
    private static final int BOTTOM = 214;

    private LineChart() {}

    public record Point(double x, double y) {}

    /**
     * One line of the chart.
     *
     * @param name in the legend
     * @param points from left to right; points that are not finite are excluded
     */
    public record Line(String name, List<Point> points) {
        public Line {
            points = points.stream()
                    .filter(point -> Double.isFinite(point.x()) && Double.isFinite(point.y()))
                    .toList();
        }

        /** Creates a line with one point per value. */
        public static <T> Line of(String name, List<T> values, ToDoubleFunction<T> x, ToDoubleFunction<T> y) {
            return new Line(
                    name,
                    values.stream()
                            .map(value -> new Point(x.applyAsDouble(value), y.applyAsDouble(value)))
                            .toList());
        }
    }

    /**
     * The axes of the chart.
     *
     * @param x the horizontal axis's name
     * @param low lower end of the vertical axis, or null for the minimum
     * @param high upper end of the vertical axis, or null for the maximum
     * @param mark a vertical line at this x, or null
     */
    public record Axes(String x, @Nullable Double low, @Nullable Double high, @Nullable Double mark) {}

    /**
     * Draws the chart as SVG.
     *
     * @param description for screen readers
     * @param axes names and ranges
     * @param lines at least one with a point
     */
    public static String svg(String description, Axes axes, List<Line> lines) {
        List<Point> all = lines.stream().flatMap(line -> line.points().stream()).toList();
        if (all.isEmpty()) {
            throw new IllegalArgumentException("nothing to draw for \"" + description + "\": no finite point");
        }
        int top = 10 + 16 * ((lines.size() + 1) / 2);
        Scale x = Scale.of(all.stream().mapToDouble(Point::x), null, null, LEFT, RIGHT);
        Scale y = Scale.of(all.stream().mapToDouble(Point::y), axes.low(), axes.high(), BOTTOM, top);
        Svg svg = new Svg(WIDTH, HEIGHT);
        grid(svg, x, y, axes, top);
        for (int l = 0; l < lines.size(); l++) {
            double legendX = 8 + (l % 2) * 176;
            double legendY = 4 + 16 * (l / 2);
            svg.line(legendX, legendY + 6, legendX + 14, legendY + 6, "line l" + l);
            svg.text(legendX + 19, legendY + 10, "start", "ink", lines.get(l).name());
            svg.polyline(points(lines.get(l), x, y), "line l" + l);
        }
        return svg.render(description);
    }

    private static void grid(Svg svg, Scale x, Scale y, Axes axes, int top) {
        for (int tick = 0; tick <= 4; tick++) {
            double atY = y.low() + (y.high() - y.low()) * tick / 4;
            svg.line(LEFT, y.at(atY), RIGHT, y.at(atY), "grid");
            svg.text(LEFT - 5, y.at(atY) + 4, "end", "soft", label(atY, y.high() - y.low()));
            double atX = x.low() + (x.high() - x.low()) * tick / 4;
            String anchor = tick == 0 ? "start" : tick == 4 ? "end" : "middle";
            svg.text(x.at(atX), BOTTOM + 15, anchor, "soft", label(atX, x.high() - x.low()));
        }
        svg.text((LEFT + RIGHT) / 2.0, HEIGHT - 4, "middle", "ink", axes.x());
        Double mark = axes.mark();
        if (mark != null) {
            svg.line(x.at(mark), top, x.at(mark), BOTTOM, "mark");
        }
    }

    private static String label(double value, double range) {
        String pattern = range >= 10 ? "%.0f" : range >= 2 ? "%.1f" : range >= 0.02 ? "%.2f" : "%.1e";
        return String.format(Locale.ROOT, pattern, value);
    }

    private static String points(Line line, Scale x, Scale y) {
        return line.points().stream()
                .map(point -> String.format(Locale.ROOT, "%.1f,%.1f", x.at(point.x()), y.at(point.y())))
                .collect(Collectors.joining(" "));
    }

    /** Maps data to user units. */
    private record Scale(double low, double high, double from, double to) {
        static Scale of(DoubleStream values, @Nullable Double low, @Nullable Double high, double from, double to) {
            double[] all = values.toArray();
            double least = low != null ? low : DoubleStream.of(all).min().orElse(0);
            double greatest = high != null ? high : DoubleStream.of(all).max().orElse(1);
            return new Scale(least, greatest > least ? greatest : least + 1, from, to);
        }

        double at(double value) {
            double inside = Math.max(low, Math.min(high, value));
            return from + (to - from) * (inside - low) / (high - low);
        }
    }
}
