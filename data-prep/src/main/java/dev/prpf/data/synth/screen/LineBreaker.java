package dev.prpf.data.synth.screen;

import java.awt.FontMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Breaks a text into lines of a given width without cutting names, numbers or Latin words. */
final class LineBreaker {
    private LineBreaker() {}

    /**
     * Returns the lines of a text.
     *
     * @param width in pixels
     * @param whole names that are not broken if they fit on a line
     */
    static List<String> lines(String text, FontMetrics metrics, int width, List<String> whole) {
        Stream<String> names = whole.stream()
                .filter(name -> !name.isEmpty() && metrics.stringWidth(name) <= width)
                .map(Pattern::quote);
        // a name, a Latin word or number, or one character
        String piece = Stream.concat(names, Stream.of("[!-\\x7F]+", ".")).collect(Collectors.joining("|"));
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        Matcher pieces = Pattern.compile(piece, Pattern.DOTALL).matcher(text);
        while (pieces.find()) {
            String next = pieces.group();
            boolean fits = metrics.stringWidth(line + next) <= width;
            if (!fits && !line.isEmpty() && !isStop(next)) {
                lines.add(line.toString().strip());
                line.setLength(0);
            }
            line.append(next);
        }
        if (!line.toString().isBlank()) {
            lines.add(line.toString().strip());
        }
        return lines;
    }

    /** Returns whether a character must not start a line. */
    private static boolean isStop(String next) {
        return "，。：、".contains(next);
    }
}
