package dev.prpf.data.encode.image;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Decodes data URLs of images, {@code data:image/TYPE;base64,…} (RFC 2397). */
public final class DataUrl {
    private static final String SCHEME = "data:";
    private static final int QUANTUM = 4;
    private static final Pattern HEAD = Pattern.compile("data:image/[a-z0-9.+-]+;base64,", Pattern.CASE_INSENSITIVE);

    private static final Pattern WITHIN =
            Pattern.compile("data:(?:[a-z]+/[a-z0-9.+-]+)?[;,]\\S", Pattern.CASE_INSENSITIVE);

    private DataUrl() {}

    /** Returns whether a text contains a data URL, valid or not; "Data: 3 GB" is not one. */
    public static boolean within(String text) {
        return WITHIN.matcher(text).find();
    }

    /** Returns whether a path is a data URL, valid or not. */
    public static boolean is(String path) {
        return path.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
    }

    /**
     * Returns the image's bytes. The image format is taken from their header, not from the URL's type.
     *
     * @throws PrpfException 65 unless it is an image's data URL in strict base64, padded and without blanks; messages contain no
     *     part of it
     */
    public static byte[] bytes(String url) {
        Matcher head = HEAD.matcher(url);
        if (!head.lookingAt()) {
            throw new InvalidDataException("an image's data URL must begin with data:image/TYPE;base64,");
        }
        String content = url.substring(head.end());
        if (content.isEmpty() || content.length() % QUANTUM != 0) {
            throw new InvalidDataException("an image's data URL has " + content.length()
                    + " characters of base64, must have a multiple of 4 above 0, padding included");
        }
        try {
            return Base64.getDecoder().decode(content);
        } catch (IllegalArgumentException e) {
            throw new InvalidDataException("an image's data URL is not base64 (A-Z a-z 0-9 + /, = at its end)");
        }
    }
}
