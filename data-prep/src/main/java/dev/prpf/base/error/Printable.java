package dev.prpf.base.error;

import java.util.Locale;
import java.util.regex.Pattern;

/** Escapes characters that could clear the terminal, hide text or move the cursor. */
public final class Printable {
    /** Control characters except line feed and tab, and marks that change the text direction. */
    private static final Pattern HIDDEN =
            Pattern.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]");

    private Printable() {}

    /** Returns the text with these characters escaped as in JSON ({@code \}{@code u001b}), so that JSON stays valid. */
    public static String text(String text) {
        return HIDDEN.matcher(text)
                .replaceAll(found -> String.format(
                        Locale.ROOT, "\\\\u%04x", (int) found.group().charAt(0)));
    }
}
