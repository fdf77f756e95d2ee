package dev.prpf.mpp;

import dev.prpf.data.run.AtomicFiles;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** A threshold's curve as files: {@code threshold.csv} and {@code threshold.svg} (PRPF Figure 5). */
public final class ThresholdCurve {
    private static final int WIDTH = 640;
    private static final int HEIGHT = 400;
    private static final int MARGIN = 50;

    private ThresholdCurve() {}

    /** Writes both into a run directory. */
    public static void write(Path run, TriggerThreshold threshold) {
        AtomicFiles.writeText(run.resolve("threshold.csv"), csv(threshold));
        AtomicFiles.writeText(run.resolve("threshold.svg"), svg(threshold));
    }

    static String csv(TriggerThreshold threshold) {
        StringBuilder csv = new StringBuilder("tau,recall,specificity\n");
        threshold
                .curve()
                .forEach(point ->
                        csv.append(format("%.2f,%.4f,%.4f\n", point.tau(), point.recall(), point.specificity())));
        return csv.toString();
    }

    static String svg(TriggerThreshold threshold) {
        StringBuilder svg = new StringBuilder(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                WIDTH, HEIGHT));
        axes(svg);
        line(svg, threshold, TriggerThreshold.Point::recall, "#1f6fb2");
        line(svg, threshold, TriggerThreshold.Point::specificity, "#c2571a");
        text(svg, WIDTH - 190, 20, "Recall", "#1f6fb2");
        text(svg, WIDTH - 130, 20, "Specificity", "#c2571a");
        double x = x(threshold.threshold());
        svg.append(format(
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#444\" stroke-dasharray=\"4 3\"/>\n",
                x, MARGIN, x, HEIGHT - MARGIN));
        text(
                svg,
                x + 4,
                MARGIN + 12,
                format(
                        "&#964; = %.2f: recall %.2f, specificity %.2f",
                        threshold.threshold(), threshold.recall(), threshold.specificity()),
                "#444");
        return svg.append("</svg>\n").toString();
    }

    private static void axes(StringBuilder svg) {
        for (int percent = 0; percent <= 100; percent += 20) {
            double y = y(percent);
            svg.append(format(
                    "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
                    MARGIN, y, WIDTH - MARGIN, y));
            text(svg, MARGIN - 30, y + 4, String.valueOf(percent), "#444");
        }
        for (int tenths = 1; tenths <= 9; tenths += 2) {
            text(svg, x(tenths / 10.0) - 8, HEIGHT - MARGIN + 18, format("%.1f", tenths / 10.0), "#444");
        }
        text(svg, WIDTH / 2.0 - 30, HEIGHT - 10, "threshold &#964;", "#444");
        text(svg, 10, 20, "percent, dev", "#444");
    }

    private static void line(
            StringBuilder svg, TriggerThreshold threshold, ToDoubleFunction<TriggerThreshold.Point> of, String colour) {
        svg.append("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"")
                .append(colour)
                .append("\" points=\"");
        threshold
                .curve()
                .forEach(point -> svg.append(format("%.1f,%.1f ", x(point.tau()), y(of.applyAsDouble(point)))));
        svg.append("\"/>\n");
    }

    private static void text(StringBuilder svg, double x, double y, String text, String colour) {
        svg.append(format("<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>\n", x, y, colour, text));
    }

    private static double x(double tau) {
        return MARGIN + tau * (WIDTH - 2 * MARGIN);
    }

    private static double y(double percent) {
        return HEIGHT - MARGIN - percent / 100 * (HEIGHT - 2 * MARGIN);
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
