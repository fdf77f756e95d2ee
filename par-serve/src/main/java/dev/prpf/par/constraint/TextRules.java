package dev.prpf.par.constraint;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules of one kind of free text, byte by byte: valid UTF-8, the allowed bytes, and the endings. */
sealed interface TextRules {
    /**
     * A place in a text.
     *
     * @param blank whether only white space came so far
     * @param pending relevant bytes of an unfinished character, escape or tag; empty in between
     * @param heard prefix of a {@link Worded} text's words read so far, or {@link Place#OTHER}; empty in other texts
     * @param exit the ending just read, or -1 within the text
     */
    record Place(boolean blank, String pending, String heard, int exit) {
        static final int INSIDE = -1;

        /** Heard: the text begins with none of the words. */
        static final String OTHER = "\u0000";

        /** Pending: number of bytes that a character still needs. */
        private static final String ONE_MORE = "1";

        private static final String TWO_MORE = "2";

        static Place inside(boolean blank, String pending) {
            return new Place(blank, pending, "", INSIDE);
        }

        static Place out(int exit) {
            return new Place(false, "", "", exit);
        }

        private Place hearing(String words) {
            return new Place(blank, pending, words, exit);
        }
    }

    /** Returns the place after a byte, or null if the byte cannot come. */
    @Nullable
    Place next(Place place, int b);

    /** Returns the endings of such a text; the index is the number of the exit. */
    List<String> endings();

    /**
     * Returns the place after the first byte of a character beyond ASCII: no overlong form, no surrogate, nothing beyond U+10FFFF (Unicode, table
     * 3-7). While a text is blank, bytes that may become white space ({@link Character#isWhitespace(int)}) lead to their own places.
     */
    private static @Nullable Place lead(boolean blank, int b) {
        if (b < 0xC2 || b > 0xF4) {
            return null;
        } else if (b < 0xE0) {
            return Place.inside(blank, Place.ONE_MORE);
        } else if (b == 0xE0 || b == 0xED || (blank && b <= 0xE3)) {
            return Place.inside(blank, "" + (char) b);
        } else if (b < 0xF0) {
            return Place.inside(blank, Place.TWO_MORE);
        }
        return Place.inside(blank, b == 0xF0 || b == 0xF4 ? "" + (char) b : "3");
    }

    /** Returns whether these pending bytes are those of a character. */
    private static boolean isCharacter(String pending) {
        return !pending.isEmpty() && (pending.charAt(0) >= 0xE0 || "123".indexOf(pending.charAt(0)) >= 0);
    }

    private static @Nullable Place more(Place place, int b) {
        if (b < 0x80 || b > 0xBF) {
            return null;
        }
        String pending = place.pending();
        return switch (pending) {
            case Place.ONE_MORE -> Place.inside(false, "");
            case Place.TWO_MORE -> Place.inside(place.blank(), Place.ONE_MORE);
            case "3" -> Place.inside(place.blank(), Place.TWO_MORE);
            case "\u00E0" -> b < 0xA0 ? null : Place.inside(place.blank(), Place.ONE_MORE);
            case "\u00ED" -> b > 0x9F ? null : Place.inside(place.blank(), Place.ONE_MORE);
            case "\u00F0" -> b < 0x90 ? null : Place.inside(place.blank(), Place.TWO_MORE);
            case "\u00F4" -> b > 0x8F ? null : Place.inside(place.blank(), Place.TWO_MORE);
            default -> maybeBlank(place.blank(), pending + (char) b);
        };
    }

    /** Returns the place after the second or third byte of a character that begins like one of Unicode's spaces. */
    private static Place maybeBlank(boolean blank, String bytes) {
        if (bytes.length() == 2) {
            return switch (bytes) {
                case "\u00E1\u009A", "\u00E2\u0080", "\u00E2\u0081", "\u00E3\u0080" -> Place.inside(blank, bytes);
                default -> Place.inside(blank, Place.ONE_MORE);
            };
        }
        int point = ((bytes.charAt(0) & 0x0F) << 12) | ((bytes.charAt(1) & 0x3F) << 6) | (bytes.charAt(2) & 0x3F);
        return Place.inside(blank && Character.isWhitespace(point), "");
    }

    /**
     * Text between tags; of the response's tags only the endings may occur.
     *
     * @param mayBeBlank whether it may be empty or only white space
     */
    record FreeText(List<String> endings, List<String> tags, boolean mayBeBlank) implements TextRules {
        @Override
        public @Nullable Place next(Place place, int b) {
            if (TextRules.isCharacter(place.pending())) {
                return TextRules.more(place, b);
            }
            String tag = place.pending() + (char) b;
            if (tags.contains(tag)) {
                int exit = place.blank() && !mayBeBlank ? Place.INSIDE : endings.indexOf(tag);
                return exit < 0 ? null : Place.out(exit);
            }
            if (tags.stream().anyMatch(t -> t.startsWith(tag))) {
                return Place.inside(place.blank(), tag);
            }
            boolean blank = place.blank() && place.pending().isEmpty();
            if (b == '<') {
                return Place.inside(blank, "<");
            }
            return b < 0x80 ? Place.inside(blank && Character.isWhitespace(b), "") : TextRules.lead(blank, b);
        }
    }

    /**
     * Text between tags with one ending. Leaves by exit 1 if it begins with certain words, in any case and after white space; else by exit 0.
     *
     * @param free rules of its contents
     * @param words in ISO 8859-1, one character for each byte of their UTF-8
     */
    record Worded(FreeText free, List<String> words) implements TextRules {
        static Worded of(String ending, List<String> tags, List<String> words) {
            List<String> bytes = words.stream()
                    .map(word -> new String(word.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1))
                    .toList();
            return new Worded(new FreeText(List.of(ending), tags, false), bytes);
        }

        @Override
        public List<String> endings() {
            return List.of(free.endings().get(0), free.endings().get(0));
        }

        @Override
        public @Nullable Place next(Place place, int b) {
            Place next = free.next(place.hearing(""), b);
            if (next == null) {
                return null;
            }
            return next.exit() == Place.INSIDE
                    ? next.hearing(heard(place.heard(), b, next.blank()))
                    : Place.out(words.contains(place.heard()) ? 1 : 0);
        }

        private String heard(String before, int b, boolean blank) {
            if (before.equals(Place.OTHER) || words.contains(before)) {
                return before;
            }
            for (String word : words) {
                int length = before.length() + 1;
                if (word.regionMatches(true, 0, before + (char) b, 0, length)) {
                    return word.substring(0, length);
                }
            }
            return before.isEmpty() && blank ? "" : Place.OTHER;
        }
    }

    /**
     * Text with any bytes, including invalid UTF-8, up to a tag. Leaves by exit 0, or by exit 1 at another tag that follows only white space.
     *
     * @param first that other tag, or null
     */
    record Untied(String tag, @Nullable String first) implements TextRules {
        @Override
        public List<String> endings() {
            return first == null ? List.of(tag) : List.of(tag, first);
        }

        @Override
        public Place next(Place place, int b) {
            FreeText free = new FreeText(endings(), endings(), true);
            Place within = Place.inside(false, "");
            Place next = free.next(place, b);
            if (next == null) {
                next = free.next(within, b); // as if no character had begun
            }
            return next == null || (next.exit() == 1 && !place.blank()) ? within : next;
        }
    }

    /**
     * A string of JSON after its opening quote (RFC 8259, section 7). Surrogates are escaped in pairs.
     *
     * @param required whether it must contain more than white space; an escape beyond {@code \u00ff} does not count as more
     * @param tags whether it may contain a raw {@code <}; if not, no tag can occur in a string
     */
    record JsonText(boolean required, boolean escapes, boolean tags) implements TextRules {
        @Override
        public List<String> endings() {
            return List.of("\"");
        }

        @Override
        public @Nullable Place next(Place place, int b) {
            String pending = place.pending();
            if (TextRules.isCharacter(pending)) {
                return TextRules.more(place, b);
            } else if (!pending.isEmpty()) {
                return escape(place.blank(), pending, b);
            } else if (b == '"') {
                return required && place.blank() ? null : Place.out(0);
            } else if (b == '\\') {
                return escapes ? Place.inside(place.blank(), "\\") : null;
            } else if (b < 0x20 || (b == '<' && !tags)) {
                return null;
            }
            return b < 0x80
                    ? Place.inside(place.blank() && Character.isWhitespace(b), "")
                    : TextRules.lead(place.blank(), b);
        }

        /** Pending: a backslash, u, then a letter per digit read: 0 zero, d D, x any; S a high surrogate, s a low one, y not blank. */
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
                case "\\uD" ->
                    digit < 8 ? Place.inside(blank, "\\uxx") : digit < 0xC ? Place.inside(blank, "\\uS1") : null;
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
}
