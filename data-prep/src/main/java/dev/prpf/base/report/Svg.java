package dev.prpf.base.report;

import java.util.Locale;

/** An SVG drawing whose colours are the page's: classes ink, soft, grid, s0 to s7. Coordinates are user units, y downwards. */
final class Svg {
    private final StringBuilder body = new StringBuilder();
    private final int width;
    private final int height;

    Svg(int width, int height) {
        this.width = width;
        this.height = height;
    }

    /** A straight line. */
    Svg line(double x1, double y1, double x2, double y2, String style) {
        body.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>",
                x1,
                y1,
                x2,
                y2,
                style));
        return this;
    }

    /** A filled rectangle with a tooltip. */
    Svg bar(double x, double y, double width, double height, String style, String tooltip) {
        body.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"><title>%s</title></rect>",
                x,
                y,
                Math.max(0, width),
                height,
                style,
                Html.escape(tooltip)));
        return this;
    }

    /** Text; anchor is start, middle or end. */
    Svg text(double x, double y, String anchor, String style, String text) {
        body.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">%s</text>",
                x,
                y,
                anchor,
                style,
                Html.escape(text)));
        return this;
    }

    /** Connected points. */
    Svg polyline(String points, String style) {
        body.append("<polyline points=\"")
                .append(points)
                .append("\" class=\"")
                .append(style)
                .append("\"/>");
        return this;
    }

    /** The element, with its description for screen readers. */
    String render(String description) {
        return "<svg viewBox=\"0 0 " + width + " " + height + "\" role=\"img\" aria-label=\"" + Html.escape(description)
                + "\" xmlns=\"http://www.w3.org/2000/svg\">" + body + "</svg>";
    }
}
