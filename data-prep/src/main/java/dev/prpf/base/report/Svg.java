package dev.prpf.base.report;

import java.util.List;
import java.util.Locale;

/** An SVG drawing with the page's colours: classes ink, soft, grid, s0 to s7. Coordinates are user units, y downwards. */
final class Svg {
    private final StringBuilder body = new StringBuilder();
    private final int width;
    private final int height;

    Svg(int width, int height) {
        this.width = width;
        this.height = height;
    }

    private void add(String format, Object... values) {
        body.append(String.format(Locale.ROOT, format, values));
    }

    void line(double x1, double y1, double x2, double y2, String style) {
        add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>", x1, y1, x2, y2, style);
    }

    /** Adds a filled rectangle with a tooltip. */
    void bar(double x, double y, double width, double height, String style, String tooltip) {
        add("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", x, y, Math.max(0, width), height);
        add(" class=\"%s\"><title>%s</title></rect>", style, Html.escape(tooltip));
    }

    /** Adds text; anchor is start, middle or end. */
    void text(double x, double y, String anchor, String style, String text) {
        String format = "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">%s</text>";
        add(format, x, y, anchor, style, Html.escape(text));
    }

    void polyline(String points, String style) {
        add("<polyline points=\"%s\" class=\"%s\"/>", points, style);
    }

    /** Adds a legend of colours and names, in columns starting at {@code x}. */
    void legend(List<String> names, double x, int columns, int columnWidth) {
        for (int n = 0; n < names.size(); n++) {
            double left = x + (n % columns) * columnWidth;
            double y = 4 + 16 * (n / columns);
            bar(left, y, 11, 11, "s" + n, names.get(n));
            text(left + 16, y + 10, "start", "ink", names.get(n));
        }
    }

    String render(String description) {
        return "<svg viewBox=\"0 0 " + width + " " + height + "\" role=\"img\" aria-label=\"" + Html.escape(description)
                + "\" xmlns=\"http://www.w3.org/2000/svg\">" + body + "</svg>";
    }
}
