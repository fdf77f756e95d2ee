package dev.prpf.data.synth.screen;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.util.List;

/** Draws on one screen, in pixels from the top left. */
final class Canvas {
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

    /** Draws one line of text with its baseline at y. */
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
