package dev.prpf.data.synth.screen;

import java.awt.FontMetrics;
import java.util.ArrayList;
import java.util.List;

/** Breaks a text into lines of a given width without cutting names, numbers or Latin words. */
final class LineBreaker {
    private final FontMetrics metrics;
    private final int width;
    private final List<String> whole;

    /**
     * @param width in pixels
     * @param whole names that stay on one line where they fit on one
     */
    LineBreaker(FontMetrics metrics, int width, List<String> whole) {
        this.metrics = metrics;
        this.width = width;
        this.whole = whole;
    }

    List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String piece : pieces(text)) {
            boolean fits = metrics.stringWidth(line + piece) <= width;
            if (!fits && !line.isEmpty() && !isStop(piece)) {
                lines.add(line.toString().strip());
                line.setLength(0);
            }
            line.append(piece);
        }
        if (!line.toString().isBlank()) {
            lines.add(line.toString().strip());
        }
        return lines;
    }

    /** A stop never begins a line. */
    private static boolean isStop(String piece) {
        return "，。：、".contains(piece);
    }

    private List<String> pieces(String text) {
        List<String> pieces = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int end = at + length(text, at);
            pieces.add(text.substring(at, end));
            at = end;
        }
        return pieces;
    }

    private int length(String text, int at) {
        for (String name : whole) {
            if (!name.isEmpty() && text.startsWith(name, at) && metrics.stringWidth(name) <= width) {
                return name.length();
            }
        }
        int end = at;
        while (end < text.length() && isLatin(text.charAt(end))) {
            end++;
        }
        return Math.max(1, end - at);
    }

    private static boolean isLatin(char c) {
        return c < 128 && c > ' ';
    }
}
