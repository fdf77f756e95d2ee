package dev.prpf.data.synth.screen;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import java.awt.Font;
import java.awt.FontFormatException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Loads the font of drawn screens. */
public final class ScreenFont {
    /** WenQuanYi Zen Hei, from the captcha jar on the class path. */
    private static final String SHIPPED = "/fonts/WenQuanZhengHei.ttf";

    private static final String MUST_SHOW = "汉字表情今天上午点半";

    private ScreenFont() {}

    /**
     * Loads a TrueType font.
     *
     * @param file the font, or null for the one on the class path
     * @throws PrpfException 69 if it is missing, invalid or lacks Chinese characters
     */
    public static Font load(@Nullable Path file) {
        String name = file == null ? "class path:" + SHIPPED : file.toString();
        try (InputStream in = open(file, name)) {
            Font font = Font.createFont(Font.TRUETYPE_FONT, in);
            int missing = font.canDisplayUpTo(MUST_SHOW);
            if (missing >= 0) {
                throw new UnavailableException("font " + name + " has no glyph for \"" + MUST_SHOW.charAt(missing)
                        + "\"; screens are drawn in Chinese, give a font that has its characters with --font");
            }
            return font;
        } catch (FontFormatException | IOException e) {
            throw new UnavailableException("font " + name + " cannot be read as TrueType (" + e.getMessage()
                    + "); give another file with --font");
        }
    }

    private static InputStream open(@Nullable Path file, String name) throws IOException {
        if (file != null && !Files.isRegularFile(file)) {
            throw new UnavailableException(
                    "font " + name + " does not exist; give a TrueType file with --font, or omit the option");
        }
        InputStream in = file == null ? ScreenFont.class.getResourceAsStream(SHIPPED) : Files.newInputStream(file);
        if (in == null) {
            throw new UnavailableException("font " + name
                    + " is missing (it comes with com.anji-plus:captcha); give a TrueType file with --font");
        }
        return new BufferedInputStream(in);
    }
}
