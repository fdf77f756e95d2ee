package dev.prpf.par.constraint;

import dev.prpf.par.constraint.TextRules.Place;
import org.jspecify.annotations.Nullable;

/**
 * Characters beyond ASCII, byte by byte: no overlong form, no surrogate, nothing beyond U+10FFFF (Unicode, table 3-7). While a text is blank
 * the bytes that may become white space ({@link Character#isWhitespace(int)}) are told from the others.
 */
final class Utf8 {
    private static final String ONE_MORE = "1";
    private static final String TWO_MORE = "2";

    private Utf8() {}

    /** After the first byte. */
    static @Nullable Place lead(boolean blank, int b) {
        if (b < 0xC2 || b > 0xF4) {
            return null;
        } else if (b < 0xE0) {
            return Place.inside(blank, ONE_MORE);
        } else if (b == 0xE0 || b == 0xED || (blank && b <= 0xE3)) {
            return Place.inside(blank, "" + (char) b);
        } else if (b < 0xF0) {
            return Place.inside(blank, TWO_MORE);
        }
        return Place.inside(blank, b == 0xF0 || b == 0xF4 ? "" + (char) b : "3");
    }

    /** Whether these pending bytes are those of a character. */
    static boolean isPending(String pending) {
        return !pending.isEmpty() && (pending.charAt(0) >= 0xE0 || "123".indexOf(pending.charAt(0)) >= 0);
    }

    /** After a further byte. */
    static @Nullable Place more(Place place, int b) {
        if (b < 0x80 || b > 0xBF) {
            return null;
        }
        String pending = place.pending();
        return switch (pending) {
            case ONE_MORE -> Place.inside(false, "");
            case TWO_MORE -> Place.inside(place.blank(), ONE_MORE);
            case "3" -> Place.inside(place.blank(), TWO_MORE);
            case "\u00E0" -> b < 0xA0 ? null : Place.inside(place.blank(), ONE_MORE);
            case "\u00ED" -> b > 0x9F ? null : Place.inside(place.blank(), ONE_MORE);
            case "\u00F0" -> b < 0x90 ? null : Place.inside(place.blank(), TWO_MORE);
            case "\u00F4" -> b > 0x8F ? null : Place.inside(place.blank(), TWO_MORE);
            default -> maybeBlank(place.blank(), pending + (char) b);
        };
    }

    /** The second or third byte of a character that begins like one of Unicode's spaces. */
    private static Place maybeBlank(boolean blank, String bytes) {
        if (bytes.length() == 2) {
            return switch (bytes) {
                case "\u00E1\u009A", "\u00E2\u0080", "\u00E2\u0081", "\u00E3\u0080" -> Place.inside(blank, bytes);
                default -> Place.inside(blank, ONE_MORE);
            };
        }
        int point = ((bytes.charAt(0) & 0x0F) << 12) | ((bytes.charAt(1) & 0x3F) << 6) | (bytes.charAt(2) & 0x3F);
        return Place.inside(blank && Character.isWhitespace(point), "");
    }
}
