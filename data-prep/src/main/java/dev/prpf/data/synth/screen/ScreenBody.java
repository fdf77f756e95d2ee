package dev.prpf.data.synth.screen;

import dev.prpf.data.Language;
import dev.prpf.data.synth.SynthSample.Screen;
import dev.prpf.data.synth.screen.ScreenPainter.Canvas;
import java.awt.Color;
import java.awt.FontMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Draws a screen below its status bar. */
record ScreenBody(Canvas canvas, Screen screen, Color accent, Language language, SplittableRandom random) {
    private static final int TEXT = 15;
    private static final int SMALL = 13;
    private static final int MARGIN = 12;
    private static final int BAR_BOTTOM = 72;
    private static final Color CARD = Color.WHITE;
    private static final Color LINE = new Color(0xDD, 0xDF, 0xE3);
    private static final Color BUBBLE = new Color(0xA8, 0xE6, 0x8F);

    /** Draws a list of cards, one of them with the sentence. */
    void list() {
        appBar();
        List<String> rows = new ArrayList<>(screen.filler());
        rows.add(random.nextInt(rows.size() + 1), screen.sentence());
        cards(rows, BAR_BOTTOM + 12, 11, 10);
        tabs();
    }

    private void cards(List<String> rows, int top, int padding, int gap) {
        int y = top;
        for (String row : rows) {
            List<String> lines = wrap(row, Canvas.WIDTH - 4 * MARGIN);
            int height = lines.size() * (TEXT + 6) + 2 * padding;
            canvas.rounded(MARGIN, y, Canvas.WIDTH - 2 * MARGIN, height, CARD);
            canvas.lines(lines, 2 * MARGIN, y + padding + 16, TEXT, Canvas.INK);
            y += height + gap;
        }
    }

    void dialog() {
        appBar();
        int y = BAR_BOTTOM + 30;
        for (String row : screen.filler()) {
            canvas.text(row, 2 * MARGIN, y, SMALL, Canvas.FAINT);
            canvas.box(MARGIN, y + 14, Canvas.WIDTH - 2 * MARGIN, 1, LINE);
            y += 40;
        }
        List<String> lines = wrap(screen.sentence(), 198);
        int height = 96 + lines.size() * (TEXT + 6);
        int top = 270;
        canvas.rounded(17, top - 1, 236, height + 2, LINE);
        canvas.rounded(18, top, 234, height, CARD);
        canvas.centred(language.of("系统消息", "Message"), 18, 234, top + 28, TEXT, accent);
        int below = canvas.lines(lines, 36, top + 58, TEXT, Canvas.INK);
        canvas.box(18, below, 234, 1, LINE);
        canvas.centred(language.of("关闭", "Close"), 18, 117, below + 24, TEXT, Canvas.FAINT);
        canvas.centred(language.of("查看", "View"), 135, 117, below + 24, TEXT, accent);
    }

    /** Draws the notification shade, one card per notification. */
    void notifications() {
        List<String> rows = new ArrayList<>(screen.filler());
        rows.add(random.nextInt(rows.size()), screen.sentence());
        canvas.text(language.of("通知中心", "Notifications"), MARGIN, 58, 17, Color.WHITE);
        cards(rows, BAR_BOTTOM + 4, 12, 8);
    }

    /** Draws chat bubbles left and right. */
    void chat() {
        appBar();
        List<String> rows = new ArrayList<>(screen.filler());
        rows.add(screen.sentence());
        int y = BAR_BOTTOM + 16;
        for (int i = 0; i < rows.size(); i++) {
            y = bubble(rows.get(i), y, i % 2 == 1 && i < rows.size() - 1);
        }
        canvas.box(0, 556, Canvas.WIDTH, 44, CARD);
        canvas.rounded(MARGIN, 563, 190, 30, new Color(0xED, 0xEE, 0xF1));
        canvas.text(language.of("发送", "Send"), 222, 584, TEXT, accent);
    }

    private int bubble(String text, int y, boolean own) {
        List<String> lines = wrap(text, 172);
        int width = lines.stream()
                        .mapToInt(line -> canvas.metrics(TEXT).stringWidth(line))
                        .max()
                        .orElse(0)
                + 22;
        int height = lines.size() * (TEXT + 6) + 14;
        int x = own ? Canvas.WIDTH - 46 - width : 46;
        canvas.disc(own ? Canvas.WIDTH - 38 : 10, y, 28, own ? accent : Canvas.FAINT);
        canvas.rounded(x, y, width, height, own ? BUBBLE : CARD);
        canvas.lines(lines, x + 11, y + 23, TEXT, Canvas.INK);
        return y + height + 16;
    }

    private void appBar() {
        canvas.box(0, 28, Canvas.WIDTH, BAR_BOTTOM - 28, accent);
        canvas.back(MARGIN, 44, Color.WHITE);
        canvas.text(screen.title(), 34, 56, 17, Color.WHITE);
    }

    private void tabs() {
        canvas.box(0, 556, Canvas.WIDTH, 44, CARD);
        List<String> names = List.of(language.of("首页", "Home"), language.of("发现", "Explore"), language.of("我的", "Me"));
        for (int i = 0; i < names.size(); i++) {
            canvas.centred(names.get(i), i * 90, 90, 583, SMALL, i == 0 ? accent : Canvas.FAINT);
        }
    }

    private List<String> wrap(String text, int width) {
        return LineBreaker.lines(text, canvas.metrics(TEXT), width, screen.whole());
    }

    /** Breaks a text into lines of a given width without cutting names, numbers or Latin words. */
    static final class LineBreaker {
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
}
