package dev.prpf.par.serve.policy;

import dev.prpf.base.config.Rule;
import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds phrases in texts, ignoring case, width (NFKC), white space and invisible characters. Matches whole words in scripts with spaces between words
 * ({@code car} in "by car", not in "card"). Matches anywhere in Chinese, Japanese, Korean, Thai and similar scripts. Synonyms are not matched.
 */
final class PhraseMatcher {
    private static final int LONGEST = 100;
    private static final String LETTER =
            "[\\p{L}&&[^\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsHangul}\\p{IsBopomofo}"
                    + "\\p{IsThai}\\p{IsLao}\\p{IsKhmer}\\p{IsMyanmar}]]";
    private static final Pattern BEGINS = Pattern.compile("^" + LETTER);
    private static final Pattern ENDS = Pattern.compile(LETTER + "$");
    private static final Pattern INVISIBLE = Pattern.compile("\\p{Cf}");
    private static final Pattern SPACE = Pattern.compile("[\\s\\p{Z}]+");
    /** Matches after a mark that ends a sentence; a western mark must be followed by a space. */
    private static final Pattern SENTENCE_END = Pattern.compile("(?<=[。！？；\\n])|(?<=[.!?;]\\s)");

    private final Pattern any;

    /** @param phrases not blank; an empty list matches nothing */
    PhraseMatcher(List<String> phrases) {
        any = Pattern.compile(
                phrases.isEmpty()
                        ? "(?!)"
                        : phrases.stream().map(PhraseMatcher::expression).collect(Collectors.joining("|")));
    }

    /** @throws IllegalArgumentException unless each has visible characters, and at most {@value #LONGEST} characters */
    static void require(String key, List<String> phrases) {
        for (String phrase : phrases) {
            boolean says = phrase.length() <= LONGEST && !normal(phrase).isEmpty();
            Rule.require(says, key, "\"" + phrase + "\"", "a text of 1 to " + LONGEST + " characters");
        }
    }

    private static String expression(String phrase) {
        String text = normal(phrase).replace(" ", "");
        return (BEGINS.matcher(text).find() ? "(?<!" + LETTER + ")" : "")
                + text.codePoints()
                        .mapToObj(character -> Pattern.quote(Character.toString(character)))
                        .collect(Collectors.joining(" ?"))
                + (ENDS.matcher(text).find() ? "(?!" + LETTER + ")" : "");
    }

    private static String normal(String text) {
        String plain = INVISIBLE
                .matcher(Normalizer.normalize(text, Normalizer.Form.NFKC))
                .replaceAll("");
        String folded = plain.toLowerCase(Locale.ROOT).toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
        return SPACE.matcher(folded).replaceAll(" ").strip();
    }

    /** Returns whether a text contains one of the phrases. */
    boolean in(String text) {
        return any.matcher(normal(text)).find();
    }

    /** Returns the text without the sentences that contain a phrase; blank if a phrase spans sentences. */
    String removedFrom(String text) {
        if (!in(text)) {
            return text;
        }
        String left = SENTENCE_END
                .splitAsStream(text)
                .filter(sentence -> !in(sentence))
                .collect(Collectors.joining());
        return in(left) ? "" : left;
    }
}
