package dev.prpf.base.image;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The formats of pictures that are read, known by their first bytes: what a file's name or a data URL says is not asked. */
public enum ImageFormat {
    PNG("\u0089PNG"),
    JPEG("\u00FF\u00D8\u00FF"),
    GIF("GIF8"),
    BMP("BM");

    /** Bytes that name a format, at most. */
    static final int LONGEST_BEGIN = 4;

    /** A character a byte. */
    private final String begin;

    ImageFormat(String begin) {
        this.begin = begin;
    }

    /** The format of a picture's bytes; null for another. */
    public static @Nullable ImageFormat of(byte[] bytes) {
        return Arrays.stream(values())
                .filter(format -> format.begins(bytes))
                .findFirst()
                .orElse(null);
    }

    private boolean begins(byte[] bytes) {
        int length = Math.min(bytes.length, begin.length());
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1).equals(begin);
    }

    /** Its name in {@code image/…} and behind a file's last dot. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
