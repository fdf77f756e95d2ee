package dev.prpf.par.tokenizer;

import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * How text falls apart before merges: runs of Han, of Latin letters and underscores (with one space before), of other letters, digits by two,
 * each Chinese punctuation mark alone, runs of other signs, white space. No token crosses these borders, so an entity in quotes is cut at
 * its quotes.
 */
final class PreTokenization {
    private static final String CHINESE_MARKS = "\\x{3000}-\\x{303F}\\x{FF00}-\\x{FFEF}\\x{2010}-\\x{2027}\\x{B7}";

    /** In the dialect of tokenizer.json (Oniguruma). */
    static final String REGEX = "\\p{Han}+| ?[\\p{Latin}_]+|\\p{N}{1,2}| ?[\\p{L}\\p{M}]+|[" + CHINESE_MARKS
            + "]|[^\\s\\p{L}\\p{M}\\p{N}_" + CHINESE_MARKS + "]+|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

    private static final Pattern JAVA = Pattern.compile(
            REGEX.replace("\\p{Han}", "\\p{IsHan}").replace("\\p{Latin}", "\\p{IsLatin}"),
            Pattern.UNICODE_CHARACTER_CLASS);

    private PreTokenization() {}

    static void split(String text, Consumer<String> sink) {
        JAVA.matcher(text).results().map(MatchResult::group).forEach(sink);
    }
}
