package dev.prpf.par.constraint;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A string of JSON after its opening quote (RFC 8259, section 7). Surrogates are escaped in pairs; {@code <} is escaped always, so that no
 * tag can stand in a string.
 *
 * @param required whether it must hold more than white space; an escape beyond {@code \u00ff} does not count as more
 * @param escapes whether escapes may stand in it
 */
record JsonTextRules(boolean required, boolean escapes) implements TextRules {
    @Override
    public List<String> endings() {
        return List.of("\"");
    }

    @Override
    public @Nullable Place next(Place place, int b) {
        String pending = place.pending();
        if (Utf8.isPending(pending)) {
            return Utf8.more(place, b);
        } else if (!pending.isEmpty()) {
            return escape(place.blank(), pending, b);
        } else if (b == '"') {
            return required && place.blank() ? null : Place.out(0);
        } else if (b == '\\') {
            return escapes ? Place.inside(place.blank(), "\\") : null;
        } else if (b < 0x20 || b == '<') {
            return null;
        }
        return b < 0x80 ? Place.inside(place.blank() && Character.isWhitespace(b), "") : Utf8.lead(place.blank(), b);
    }

    /** Pending: a backslash, u, then a letter a digit read: 0 zero, d D, x any; S a high surrogate, s a low one, y not blank. */
    private static @Nullable Place escape(boolean blank, String pending, int b) {
        if (pending.equals("\\")) {
            return simple(blank, b);
        } else if (pending.endsWith("S3")) {
            return b == '\\' ? Place.inside(blank, "\\s") : null;
        } else if (pending.equals("\\s")) {
            return b == 'u' ? Place.inside(blank, "\\su") : null;
        }
        int digit = Character.digit(b, 16);
        return digit < 0 || b > 'f' ? null : hex(blank, pending, digit);
    }

    private static @Nullable Place simple(boolean blank, int b) {
        return switch (b) {
            case '"', '\\', '/' -> Place.inside(false, "");
            case 'b', 'f', 'n', 'r', 't' -> Place.inside(blank, "");
            case 'u' -> Place.inside(blank, "\\u");
            default -> null;
        };
    }

    private static @Nullable Place hex(boolean blank, String pending, int digit) {
        return switch (pending) {
            case "\\u" -> Place.inside(blank, digit == 0 ? "\\u0" : digit == 0xD ? "\\uD" : "\\ux");
            case "\\u0" -> Place.inside(blank, digit == 0 ? "\\u00" : "\\uxx");
            case "\\uD" -> digit < 8 ? Place.inside(blank, "\\uxx") : digit < 0xC ? Place.inside(blank, "\\uS1") : null;
            case "\\ux" -> Place.inside(blank, "\\uxx");
            case "\\u00" -> Place.inside(blank, digit >= 3 ? "\\uyyy" : "\\uxxx");
            case "\\uxx" -> Place.inside(blank, "\\uxxx");
            case "\\uxxx" -> Place.inside(blank, "");
            case "\\uyyy", "\\sudcx" -> Place.inside(false, "");
            case "\\uS1" -> Place.inside(blank, "\\uS2");
            case "\\uS2" -> Place.inside(blank, "\\uS3");
            case "\\su" -> digit == 0xD ? Place.inside(blank, "\\sud") : null;
            case "\\sud" -> digit >= 0xC ? Place.inside(blank, "\\sudc") : null;
            case "\\sudc" -> Place.inside(blank, "\\sudcx");
            default -> throw new IllegalStateException(pending);
        };
    }
}
