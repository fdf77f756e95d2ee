package dev.prpf.data.encode.ocr;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A recognised piece of text on a screen.
 *
 * @param text the recognised text
 * @param confidence mean probability of its characters, 0 to 1
 * @param x left edge in pixels of the image
 * @param y top edge
 * @param width of the box
 * @param height of the box
 */
record TextLine(String text, double confidence, int x, int y, int width, int height) {
    /**
     * Sorts lines into reading order: rows top to bottom, within a row left to right. Two boxes are in one row if their middles
     * differ by less than half the smaller height.
     */
    static List<List<TextLine>> rows(List<TextLine> lines) {
        List<List<TextLine>> rows = new ArrayList<>();
        for (TextLine line : lines.stream()
                .sorted(Comparator.comparingDouble(TextLine::middle))
                .toList()) {
            if (rows.isEmpty() || !rows.get(rows.size() - 1).get(0).inRowWith(line)) {
                rows.add(new ArrayList<>());
            }
            rows.get(rows.size() - 1).add(line);
        }
        rows.forEach(row -> row.sort(Comparator.comparingInt(TextLine::x)));
        return rows;
    }

    private double middle() {
        return y + height / 2.0;
    }

    private boolean inRowWith(TextLine other) {
        return Math.abs(middle() - other.middle()) < Math.min(height, other.height) / 2.0;
    }
}
