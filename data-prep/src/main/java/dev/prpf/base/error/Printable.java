package dev.prpf.base.error;

import java.util.Locale;
import java.util.regex.Pattern;

/** Text as it may be shown on a terminal: data can hold characters that clear the screen, hide text or write elsewhere on it. */
public final class Printable {
    /** Control characters but line ends and tabs, and what turns the direction of writing. */
    private static final Pattern HIDDEN =
            Pattern.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]");

    private Printable() {}

    /** The text with such characters written as in JSON ({@code \}{@code u001b}), so that a JSON text stays what it is. */
    public static String text(String text) {
        return HIDDEN.matcher(text)
                .replaceAll(found -> String.format(
                        Locale.ROOT, "\\\\u%04x", (int) found.group().charAt(0)));
    }
}
