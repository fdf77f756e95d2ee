package dev.prpf.eval.judge;

import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Normalizes strings so that strings of equal meaning are equal, as far as rules without a model can decide. */
final class NormalText {
    private static final int LONGEST_VALUE = 48;

    /** Full-width and half-width forms of other characters. */
    private static final Pattern OTHER_WIDTH =
            Pattern.compile("[\\u3000\\uFF01-\\uFF9F\\uFFE0-\\uFFE2\\uFFE4-\\uFFE6\\uFFE8-\\uFFEE]+");

    private static final Pattern CASED =
            Pattern.compile("(?s).*://.*|\\S*[/@]\\S*|(?=\\S*\\d)(?=\\S*\\p{Lu})(?=\\S*\\p{Ll})\\S+");

    private static final Pattern NUMBER_WITH_UNIT = Pattern.compile("[+-]?\\d[\\d.,]*\\s*[\\p{L}°]{1,4}");

    private NormalText() {}

    /**
     * Normalizes width, case and white space at the ends. Addresses keep their case; so does one word that is a path, a mail address or a code of
     * digits and letters of both cases.
     */
    static String folded(String text) {
        String narrow = ofOneWidth(text);
        return CASED.matcher(narrow).matches() ? narrow : narrow.toLowerCase(Locale.ROOT);
    }

    /** Folds width only. NFKC would also turn 3² into 32, ½ into 1⁄2 and ① into 1, which are different values. */
    private static String ofOneWidth(String text) {
        String narrow = OTHER_WIDTH
                .matcher(text)
                .replaceAll(run -> Matcher.quoteReplacement(Normalizer.normalize(run.group(), Normalizer.Form.NFKC)));
        return Normalizer.normalize(narrow, Normalizer.Form.NFC).strip();
    }

    /** A string that is a date, a time or a quantity as a whole becomes a {@link Moment} or {@link Quantity}; others are
     * folded. A unit that is not known keeps its case: 20 mW is not 20 MW. */
    static Object of(String text) {
        String folded = folded(text);
        if (folded.length() > LONGEST_VALUE || folded.chars().noneMatch(c -> c >= '0' && c <= '9')) {
            return folded;
        }
        String narrow = ofOneWidth(text);
        Moment moment = Moment.read(narrow.toLowerCase(Locale.ROOT));
        if (moment != null) {
            return moment;
        }
        @Nullable Quantity quantity = Quantity.read(narrow);
        if (quantity == null) {
            return NUMBER_WITH_UNIT.matcher(narrow).matches() ? narrow : folded;
        }
        return quantity;
    }
}
