package dev.prpf.data.synth.screen;

import dev.prpf.data.Language;
import dev.prpf.data.synth.SynthSample.CueScreen;
import dev.prpf.data.synth.SynthSample.Screen;
import java.awt.Color;
import java.awt.Font;
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
}
