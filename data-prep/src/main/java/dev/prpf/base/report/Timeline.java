package dev.prpf.base.report;

import java.util.List;

/** A drawing of marks over time, in lanes from top to bottom. */
public final class Timeline {
    private static final int WIDTH = 480;
    private static final int LEFT = 56;
    private static final int RIGHT = 468;
    private static final int LANE = 18;

    private Timeline() {}

    /**
     * A mark in a lane of the drawing.
     *
     * @param at its time
     * @param lane its lane, from 0
     * @param tooltip its text
     */
    public record Mark(double at, int lane, String tooltip) {}

    /**
     * Draws marks as SVG.
     *
     * @param description for screen readers
     * @param lanes the names
     * @param marks at least one, by time
     * @param first label of the first mark's time
     * @param last label of the last mark's time
     */
    public static String svg(String description, List<String> lanes, List<Mark> marks, String first, String last) {
        int bottom = lanes.size() * LANE;
        Svg svg = new Svg(WIDTH, bottom + 18);
        for (int lane = 0; lane < lanes.size(); lane++) {
            double y = (lane + 0.5) * LANE;
            svg.line(LEFT, y, RIGHT, y, "grid");
            svg.text(0, y + 4, "start", "soft", lanes.get(lane));
        }
        double from = marks.get(0).at();
        double span = Math.max(1, marks.get(marks.size() - 1).at() - from);
        for (Mark mark : marks) {
            double x = LEFT + (mark.at() - from) / span * (RIGHT - LEFT);
            svg.bar(x - 1.5, mark.lane() * LANE + 3, 3, LANE - 6, "s" + mark.lane(), mark.tooltip());
        }
        svg.text(LEFT, bottom + 13, "start", "soft", first);
        svg.text(RIGHT, bottom + 13, "end", "soft", last);
        return svg.render(description);
    }
}
