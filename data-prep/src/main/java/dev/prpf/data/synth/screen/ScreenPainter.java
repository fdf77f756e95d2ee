package dev.prpf.data.synth.screen;

import dev.prpf.data.Language;
import dev.prpf.data.synth.SynthSample.CueScreen;
import dev.prpf.data.synth.SynthSample.Screen;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;

/**
 * Draws a {@link Screen} as a list, a dialog, a notification shade or a chat, depending on its sentence.
 *
 * @param font a font from {@link ScreenFont}
 * @param language the language of the screen's own words
 */
public record ScreenPainter(Font font, Language language) {
    private static final List<Color> ACCENTS = List.of(
            new Color(0x1F, 0x6F, 0xEB),
            new Color(0x0B, 0x7A, 0x4B),
            new Color(0xB0, 0x3A, 0x2E),
            new Color(0x5B, 0x3F, 0xA6),
            new Color(0x9A, 0x5B, 0x00),
            new Color(0x2B, 0x4C, 0x7E));

    /** Writes the screen as PNG, 270 x 600 or in its cue's size. */
    public void write(Screen screen, OutputStream out) throws IOException {
        if (!ImageIO.write(paint(screen), "png", out)) {
            throw new IOException("this JDK has no PNG writer");
        }
    }

    public BufferedImage paint(Screen screen) {
        CueScreen cue = screen.cue();
        if (cue != null) {
            return new CuePainter(font, screen, cue).paint();
        }
        SplittableRandom random = new SplittableRandom(screen.seed());
        Color accent = ACCENTS.get(random.nextInt(ACCENTS.size()));
        ScreenKind kind = ScreenKind.of(screen.sentence());
        Canvas canvas = new Canvas(font, kind.background());
        statusBar(canvas, screen, kind, random);
        ScreenBody body = new ScreenBody(canvas, screen, accent, language, random);
        switch (kind) {
            case LIST -> body.list();
            case DIALOG -> body.dialog();
            case NOTIFICATIONS -> body.notifications();
            case CHAT -> body.chat();
        }
        return canvas.finish();
    }

    private static void statusBar(Canvas canvas, Screen screen, ScreenKind kind, SplittableRandom random) {
        Color ink = kind == ScreenKind.NOTIFICATIONS ? Color.WHITE : Canvas.INK;
        int charge = random.nextInt(15, 100);
        canvas.text(screen.time(), 12, 18, 13, ink);
        canvas.text(charge + "%", 204, 18, 12, ink);
        canvas.battery(238, 9, charge / 100.0, ink);
    }

    /** The kinds of drawn screens. */
    enum ScreenKind {
        NOTIFICATIONS(new Color(0x2A, 0x30, 0x3C), "通知|短信|弹出|推送|公告|Notification|SMS|Notice|Closed an ad"),
        CHAT(new Color(0xED, 0xEE, 0xF1), "消息|约他|问|群|让他|推荐|说|催他|托他|asks|writes|says|wants|Tells"),
        DIALOG(new Color(0xF4, 0xF5, 0xF7), "提示|提醒|建议|已|suggests|reminds|is set|saved"),
        LIST(new Color(0xF4, 0xF5, 0xF7), "");

        private final Color background;
        private final Pattern signs;

        ScreenKind(Color background, String signs) {
            this.background = background;
            this.signs = Pattern.compile(signs);
        }

        Color background() {
            return background;
        }

        static ScreenKind of(String sentence) {
            for (ScreenKind kind : values()) {
                if (kind.signs.matcher(sentence).find()) {
                    return kind;
                }
            }
            return LIST;
        }
    }

    /**
     * Draws the screen of a {@link VisualCue}: of several equal items, one is highlighted. All lengths scale with the screen's
     * size. Positions vary by a few pixels and the bar's colour varies between screens, independent of the answer.
     */
    static final class CuePainter {
        private static final Color BACKGROUND = new Color(0xF4, 0xF5, 0xF7);
        private static final Color OFF = new Color(0xC4, 0xC7, 0xCC);
        private static final Color ON = new Color(0x2D, 0xB8, 0x4C);
        private static final Color BADGE = new Color(0xE5, 0x2B, 0x20);
        private static final Color MARK = new Color(0xFF, 0xC9, 0x3C);
        private static final List<Color> NEUTRAL = List.of(
                new Color(0x40, 0x48, 0x58),
                new Color(0x54, 0x5C, 0x6C),
                new Color(0x3C, 0x50, 0x5C),
                new Color(0x58, 0x50, 0x60));
        /** Colours of the sign, by option. */
        private static final List<Color> SIGNS = List.of(
                new Color(0x1E, 0xA8, 0x3C),
                new Color(0xF2, 0xB8, 0x0C),
                new Color(0xE0, 0x28, 0x24),
                new Color(0x1C, 0x62, 0xE6));

        private final Screen screen;
        private final CueScreen cue;
        private final Canvas canvas;
        private final SplittableRandom random;
        private final int width;
        private final int height;
        private final int bar;
        private final int text;

        CuePainter(Font font, Screen screen, CueScreen cue) {
            this.screen = screen;
            this.cue = cue;
            width = cue.width();
            height = cue.height();
            bar = height / 10;
            text = Math.max(9, width / 12);
            random = new SplittableRandom(screen.seed());
            canvas = new Canvas(font, BACKGROUND, width, height);
        }

        BufferedImage paint() {
            canvas.box(0, 0, width, bar, neutral());
            canvas.text(screen.title(), width / 20, bar - bar / 3, text, Color.WHITE);
            canvas.text(screen.time(), width - 3 * text, bar - bar / 3, text, Color.WHITE);
            int shift = random.nextInt(-height / 80, height / 80 + 1);
            switch (cue.kind()) {
                case SWITCH, HIGHLIGHT -> rows(shift);
                case BADGE -> icons(shift);
                case COLOUR -> sign(shift);
            }
            return canvas.finish();
        }

        private Color neutral() {
            return NEUTRAL.get(random.nextInt(NEUTRAL.size()));
        }

        /** Draws one thing per row, each with a switch if switches are the cue. */
        private void rows(int shift) {
            int row = (height - bar) / cue.options();
            int pad = row / 8;
            boolean switches = cue.kind() == CueScreen.Kind.SWITCH;
            for (int i = 0; i < cue.options(); i++) {
                boolean lit = i == cue.lit();
                int top = bar + i * row + pad + shift;
                canvas.rounded(pad, top, width - 2 * pad, row - 2 * pad, lit && !switches ? MARK : Color.WHITE);
                canvas.text(screen.filler().get(i), 2 * pad, top + row / 2 - pad + text / 3, text, Canvas.INK);
                if (switches) {
                    toggle(width - pad - width / 4, top + row / 2 - pad - width / 16, width / 8, lit);
                }
            }
        }

        /** Draws a switch, twice as wide as high, with its knob on the right if it is on. */
        private void toggle(int left, int top, int high, boolean on) {
            canvas.rounded(left, top, 2 * high - high / 4, high, on ? ON : OFF);
            canvas.disc(on ? left + high - high / 4 + 1 : left + 1, top + 1, high - 2, Color.WHITE);
        }

        private void icons(int shift) {
            int lines = (cue.options() + 1) / 2;
            int cellHeight = (height - bar) / lines;
            int side = Math.min(width / 4, cellHeight / 2);
            for (int i = 0; i < cue.options(); i++) {
                int left = i % 2 * (width / 2) + (width / 2 - side) / 2;
                int top = bar + i / 2 * cellHeight + cellHeight / 5 + shift;
                canvas.rounded(left, top, side, side, neutral());
                canvas.centred(
                        screen.filler().get(i),
                        i % 2 * (width / 2),
                        width / 2,
                        top + side + 2 * text,
                        text,
                        Canvas.INK);
                if (i == cue.lit()) {
                    canvas.disc(left + side - side / 3, top - side / 4, side / 2 + side / 8, BADGE);
                }
            }
        }

        private void sign(int shift) {
            int side = Math.min(width, height - bar) / 2;
            int top = bar + (height - bar - side) / 2 + shift;
            canvas.disc((width - side) / 2, top, side, cue.lit() < 0 ? OFF : SIGNS.get(cue.lit()));
            canvas.centred(screen.filler().get(0), 0, width, top + side + 2 * text, text, Canvas.INK);
        }
    }

    /** Draws on one screen, in pixels from the top left. */
    static final class Canvas {
        static final int WIDTH = 270;
        static final int HEIGHT = 600;
        static final Color INK = new Color(0x20, 0x20, 0x24);
        static final Color FAINT = new Color(0x60, 0x64, 0x6C);

        private final BufferedImage image;
        private final Graphics2D graphics;
        private final Font font;

        Canvas(Font font, Color background) {
            this(font, background, WIDTH, HEIGHT);
        }

        Canvas(Font font, Color background, int width, int height) {
            this.font = font;
            image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
            graphics = image.createGraphics();
            graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
            graphics.setRenderingHint(RenderingHints.KEY_FRACTIONALMETRICS, RenderingHints.VALUE_FRACTIONALMETRICS_OFF);
            graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
            graphics.setRenderingHint(RenderingHints.KEY_RENDERING, RenderingHints.VALUE_RENDER_QUALITY);
            box(0, 0, width, height, background);
        }

        BufferedImage finish() {
            graphics.dispose();
            return image;
        }

        FontMetrics metrics(int size) {
            return graphics.getFontMetrics(font.deriveFont((float) size));
        }

        void box(int x, int y, int width, int height, Color color) {
            graphics.setColor(color);
            graphics.fillRect(x, y, width, height);
        }

        void rounded(int x, int y, int width, int height, Color color) {
            graphics.setColor(color);
            graphics.fillRoundRect(x, y, width, height, 14, 14);
        }

        void disc(int x, int y, int diameter, Color color) {
            graphics.setColor(color);
            graphics.fillOval(x, y, diameter, diameter);
        }

        void back(int x, int y, Color color) {
            graphics.setColor(color);
            graphics.setStroke(new BasicStroke(2f));
            graphics.drawLine(x + 6, y, x, y + 6);
            graphics.drawLine(x, y + 6, x + 6, y + 12);
        }

        /** Draws a battery with a charge of 0 to 1. */
        void battery(int x, int y, double share, Color color) {
            graphics.setColor(color);
            graphics.setStroke(new BasicStroke(1f));
            graphics.drawRect(x, y, 17, 8);
            graphics.fillRect(x + 18, y + 3, 2, 3);
            graphics.fillRect(x + 2, y + 2, (int) Math.round(14 * share), 5);
        }

        void text(String text, int x, int y, int size, Color color) {
            graphics.setFont(font.deriveFont((float) size));
            graphics.setColor(color);
            graphics.drawString(text, x, y);
        }

        /** Draws lines from top to bottom, the first with its baseline at y; returns the y below the last. */
        int lines(List<String> lines, int x, int y, int size, Color color) {
            int at = y;
            for (String line : lines) {
                text(line, x, at, size, color);
                at += size + 6;
            }
            return at;
        }

        void centred(String text, int x, int width, int y, int size, Color color) {
            text(text, x + (width - metrics(size).stringWidth(text)) / 2, y, size, color);
        }
    }
}
