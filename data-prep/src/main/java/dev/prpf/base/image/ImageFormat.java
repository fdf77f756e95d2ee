package dev.prpf.base.image;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The supported image formats, recognised by their first bytes. File names and media types are ignored. */
public enum ImageFormat {
    PNG("\u0089PNG"),
    JPEG("\u00FF\u00D8\u00FF"),
    GIF("GIF8"),
    BMP("BM");

    /** Length of the longest signature in bytes. */
    static final int LONGEST_SIGNATURE = 4;

    /** The signature, one character per byte. */
    private final String signature;

    ImageFormat(String signature) {
        this.signature = signature;
    }

    /** Returns the format of an image's bytes, or null if it is not supported. */
    public static @Nullable ImageFormat of(byte[] bytes) {
        return Arrays.stream(values())
                .filter(format -> format.begins(bytes))
                .findFirst()
                .orElse(null);
    }

    private boolean begins(byte[] bytes) {
        int length = Math.min(bytes.length, signature.length());
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1).equals(signature);
    }

    /** Returns the media subtype, which is also the file extension. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
