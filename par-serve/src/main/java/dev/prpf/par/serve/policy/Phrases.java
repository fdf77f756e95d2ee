package dev.prpf.par.serve.policy;

import dev.prpf.base.config.Rule;
import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Texts that are looked for in others, as the user wrote them: whatever the letters' case and width (NFKC), white space and invisible
 * characters. In scripts that part words by spaces whole words are found ({@code car} in "by car", not in "card"); in Chinese, Japanese,
 * Korean, Thai and their like anything inside. Other words for the same are not known.
 */
final class Phrases {
    private static final int LONGEST = 100;
    private static final String LETTER =
            "[\\p{L}&&[^\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsHangul}\\p{IsBopomofo}"
                    + "\\p{IsThai}\\p{IsLao}\\p{IsKhmer}\\p{IsMyanmar}]]";
    private static final Pattern BEGINS = Pattern.compile("^" + LETTER);
    private static final Pattern ENDS = Pattern.compile(LETTER + "$");
    private static final Pattern INVISIBLE = Pattern.compile("\\p{Cf}");
    private static final Pattern SPACE = Pattern.compile("[\\s\\p{Z}]+");
    /** Behind a mark that ends a sentence; a western one needs a space behind it. */
    private static final Pattern SENTENCE_END = Pattern.compile("(?<=[。！？；\\n])|(?<=[.!?;]\\s)");

    private final Pattern any;

    /** @param phrases not blank; none match nothing */
    Phrases(List<String> phrases) {
        any = Pattern.compile(
                phrases.isEmpty()
                        ? "(?!)"
                        : phrases.stream().map(Phrases::expression).collect(Collectors.joining("|")));
    }

    /** @throws IllegalArgumentException unless each says something, in at most {@value #LONGEST} characters */
    static void require(String key, List<String> phrases) {
        for (String phrase : phrases) {
            boolean says = phrase.length() <= LONGEST && !normal(phrase).isEmpty();
            Rule.require(says, key, "\"" + phrase + "\"", "a text of 1 to " + LONGEST + " characters");
        }
    }

    private static String expression(String phrase) {
        String text = normal(phrase);
        return (BEGINS.matcher(text).find() ? "(?<!" + LETTER + ")" : "")
                + Pattern.quote(text)
                + (ENDS.matcher(text).find() ? "(?!" + LETTER + ")" : "");
    }

    private static String normal(String text) {
        String plain = INVISIBLE
                .matcher(Normalizer.normalize(text, Normalizer.Form.NFKC))
                .replaceAll("");
        return SPACE.matcher(plain).replaceAll(" ").strip().toLowerCase(Locale.ROOT);
    }

    /** Whether one of them stands in a text. */
    boolean in(String text) {
        return any.matcher(normal(text)).find();
    }

    /** The text without the sentences that one stands in; blank where one stands across sentences. */
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
