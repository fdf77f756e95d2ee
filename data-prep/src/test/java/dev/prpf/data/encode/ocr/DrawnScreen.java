package dev.prpf.data.encode.ocr;

import java.awt.Color;
import java.awt.Font;
import java.awt.FontFormatException;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import javax.imageio.ImageIO;

/** Draws a small screen, 270 x 600, with lines of text. */
public record DrawnScreen(BufferedImage image) {
    private static final Font FONT = font();

    private static Font font() {
        try (InputStream in = DrawnScreen.class.getClassLoader().getResourceAsStream("fonts/WenQuanZhengHei.ttf")) {
            return Font.createFont(Font.TRUETYPE_FONT, Objects.requireNonNull(in, "the test font"));
        } catch (IOException | FontFormatException e) {
            throw new IllegalStateException(e);
        }
    }

    public static DrawnScreen of(List<String> lines) {
        return of(lines, 270, 600, 13f);
    }

    public static DrawnScreen of(List<String> lines, int width, int height, float size) {
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D g = image.createGraphics();
        g.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        g.setColor(new Color(0xFAFAFA));
        g.fillRect(0, 0, width, height);
        g.setFont(FONT.deriveFont(size));
        g.setColor(new Color(0x222222));
        float step = size * 2;
        for (int i = 0; i < lines.size(); i++) {
            g.drawString(lines.get(i), size, step * (i + 1));
        }
        g.dispose();
        return new DrawnScreen(image);
    }

    public void write(Path file) throws IOException {
        ImageIO.write(image, "png", file.toFile());
    }
}
