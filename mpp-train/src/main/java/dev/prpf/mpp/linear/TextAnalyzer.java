package dev.prpf.mpp.linear;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Cuts a text into unigram and bigram terms; lower case, every run of digits becomes {@code <num>}. */
public enum TextAnalyzer {
    /** A unit is a run of letters; what scikit-learn does with {@code <num>|\w+}. For languages that put spaces between words. */
    WORDS("<num>|\\w+"),
    /** A unit is one Chinese character or a run of other letters. For Chinese, with or without Latin names in it. */
    CHARACTERS("<num>|\\p{IsHan}|[\\w&&[^\\p{IsHan}]]+");

    private static final Pattern DIGITS = Pattern.compile("\\d+", Pattern.UNICODE_CHARACTER_CLASS);
    private static final String NUMBER = "<num>";

    private final Pattern unit;

    TextAnalyzer(String unit) {
        this.unit = Pattern.compile(unit, Pattern.UNICODE_CHARACTER_CLASS);
    }

    /** The units in order, then each pair of neighbours joined by a space. */
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
