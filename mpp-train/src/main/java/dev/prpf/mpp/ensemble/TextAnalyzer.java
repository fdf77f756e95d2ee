package dev.prpf.mpp.ensemble;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Splits a text into unigrams and bigrams, in lower case, with each run of digits as {@code <num>}. */
public enum TextAnalyzer {
    /** Units are runs of letters, like scikit-learn's with {@code <num>|\w+}. For languages with spaces between words. */
    WORDS("<num>|\\w+"),
    /** Units are single Chinese characters or runs of other letters. For Chinese, with or without Latin names. */
    CHARACTERS("<num>|\\p{IsHan}|[\\w&&[^\\p{IsHan}]]+");

    private static final Pattern DIGITS = Pattern.compile("\\d+", Pattern.UNICODE_CHARACTER_CLASS);
    private static final String NUMBER = "<num>";

    private final Pattern unit;

    TextAnalyzer(String unit) {
        this.unit = Pattern.compile(unit, Pattern.UNICODE_CHARACTER_CLASS);
    }

    /** Returns the units in order, then each pair of neighbours joined by a space. */
    public List<String> terms(String text) {
        String folded = DIGITS.matcher(text.toLowerCase(Locale.ROOT)).replaceAll(NUMBER);
        List<String> units =
                unit.matcher(folded).results().map(match -> match.group()).toList();
        List<String> terms = new ArrayList<>(units);
        for (int i = 1; i < units.size(); i++) {
            terms.add(units.get(i - 1) + " " + units.get(i));
        }
        return terms;
    }
}
