package dev.prpf.par.tokenizer;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.par.tokenizer.Tokenizer.ByteAlphabet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Trains a byte-level BPE on the user's own text. Bytes are first merged to characters, most frequent first, then characters to words, so no
 * token mixes parts of two characters. Training is deterministic.
 */
public final class BpeTraining {
    private static final String CHINESE_MARKS = "\\x{3000}-\\x{303F}\\x{FF00}-\\x{FFEF}\\x{2010}-\\x{2027}\\x{B7}";

    /**
     * The pre-tokenizer: runs of Han, Latin and underscores (with one space before), other letters, two digits, other signs, white space, and
     * single Chinese punctuation marks. No token crosses these borders, so quoted entities are split at their quotes. The dialect is
     * tokenizer.json's (Oniguruma).
     */
    static final String REGEX = "\\p{Han}+| ?[\\p{Latin}_]+|\\p{N}{1,2}| ?[\\p{L}\\p{M}]+|[" + CHINESE_MARKS
            + "]|[^\\s\\p{L}\\p{M}\\p{N}_" + CHINESE_MARKS + "]+|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

    private static final Pattern IN_JAVA = Pattern.compile(
            REGEX.replace("\\p{Han}", "\\p{IsHan}").replace("\\p{Latin}", "\\p{IsLatin}"),
            Pattern.UNICODE_CHARACTER_CLASS);

    private final Settings settings;
    private final List<BpeVocabulary.ControlToken> control;
    private final List<String> words;
    private final Map<Character, List<String>> whole;
    private final Map<String, Long> counts = new LinkedHashMap<>();

    /** @param words strings to add as single tokens, except one character, white space at an end, or control shape */
    public BpeTraining(Settings settings, Collection<String> words, List<BpeVocabulary.ControlToken> control) {
        this.settings = settings;
        this.control = List.copyOf(control);
        Set<String> usable = new LinkedHashSet<>(words);
        usable.removeIf(word -> !canBeAdded(word));
        this.words = List.copyOf(usable);
        this.whole = Stream.concat(usable.stream(), control.stream().map(BpeVocabulary.ControlToken::text))
                .sorted(Comparator.comparingInt(String::length).reversed())
                .collect(Collectors.groupingBy(word -> word.charAt(0)));
    }

    private static boolean canBeAdded(String word) {
        return word.length() > 1
                && word.equals(word.strip())
                && !HiddenControl.hasControlShape(word)
                && !ByteAlphabet.ambiguous(word);
    }

    /** Adds a text to the training data, split at the words (leftmost, then longest match). */
    public void add(String text) {
        int begin = 0;
        int at = 0;
        while (at < text.length()) {
            int length = wordAt(text, at);
            if (length > 0) {
                count(text.substring(begin, at));
                begin = at + length;
            }
            at += Math.max(1, length);
        }
        count(text.substring(begin));
    }

    /** Returns the length of the longest word that begins at an index; 0 for none. */
    private int wordAt(String text, int at) {
        for (String word : whole.getOrDefault(text.charAt(at), List.of())) {
            if (text.startsWith(word, at)) {
                return word.length();
            }
        }
        return 0;
    }

    private void count(String stretch) {
        IN_JAVA.matcher(stretch).results().forEach(token -> counts.merge(token.group(), 1L, Long::sum));
    }

    /** Trains the vocabulary on the added texts. */
    public BpeVocabulary train() {
        int budget = settings.vocabulary() - ByteAlphabet.SIZE - words.size() - control.size();
        if (budget < 0) {
            throw new IllegalArgumentException(
                    "vocabulary = " + settings.vocabulary() + ", but 256 bytes, " + words.size() + " words and "
                            + control.size() + " control tokens need " + (settings.vocabulary() - budget));
        }
        MergeLoop.SymbolTable symbols = new MergeLoop.SymbolTable();
        Map<Integer, Integer> whole = characters(symbols, budget);
        List<int[]> sequences = new ArrayList<>();
        List<Long> weights = new ArrayList<>();
        counts.forEach((token, count) -> cut(token, whole).forEach(sequence -> {
            sequences.add(sequence);
            weights.add(count);
        }));
        long[] weightArray = weights.stream().mapToLong(Long::longValue).toArray();
        int left = budget - symbols.merges().size();
        new MergeLoop(symbols, settings.maxCharacters(), sequences, weightArray).run(left, settings.minCount());
        return new BpeVocabulary(symbols.tokens(), symbols.merges(), words, control);
    }

    /** Merges bytes to characters; returns the symbol of each code point. */
    private Map<Integer, Integer> characters(MergeLoop.SymbolTable symbols, int budget) {
        Map<Integer, Long> frequency = new LinkedHashMap<>();
        counts.forEach((token, count) -> token.codePoints().forEach(point -> frequency.merge(point, count, Long::sum)));
        List<Integer> points = List.copyOf(frequency.keySet());
        List<int[]> sequences = new ArrayList<>();
        points.forEach(point -> sequences.add(ByteAlphabet.symbols(Character.toString(point))));
        long[] weights = points.stream().mapToLong(frequency::get).toArray();
        MergeLoop loop = new MergeLoop(symbols, 1, sequences, weights);
        loop.run(budget, settings.minCount());
        Map<Integer, Integer> whole = new LinkedHashMap<>();
        List<int[]> merged = loop.sequences();
        for (int i = 0; i < points.size(); i++) {
            if (merged.get(i).length == 1) {
                whole.put(points.get(i), merged.get(i)[0]);
            }
        }
        return whole;
    }

    /** Splits a pre-token into stretches of merged characters; an unmerged character ends a stretch. */
    private static List<int[]> cut(String token, Map<Integer, Integer> whole) {
        List<int[]> stretches = new ArrayList<>();
        List<Integer> current = new ArrayList<>();
        token.codePoints().forEach(point -> {
            Integer symbol = whole.get(point);
            if (symbol == null) {
                flush(current, stretches);
            } else {
                current.add(symbol);
            }
        });
        flush(current, stretches);
        return stretches;
    }

    private static void flush(List<Integer> current, List<int[]> stretches) {
        if (current.size() > 1) {
            stretches.add(current.stream().mapToInt(Integer::intValue).toArray());
        }
        current.clear();
    }

    /**
     * The settings of a tokenizer's training.
     *
     * @param vocabulary maximum number of ids: bytes, merges, words and control tokens
     * @param minCount minimum count of pairs and values that become tokens
     * @param maxCharacters maximum length of a merged Chinese token, in characters
     */
    public record Settings(int vocabulary, int minCount, int maxCharacters) {
        public Settings {
            require(vocabulary >= 300, "vocabulary", vocabulary, "at least 300 (256 are the bytes)");
            require(minCount >= 1, "min-count", minCount, "at least 1");
            require(maxCharacters >= 1, "max-characters", maxCharacters, "at least 1");
        }
    }

    /**
     * A trained byte-level BPE with its added tokens; ids number tokens, words and control tokens in this order.
     *
     * @param tokens in GPT-2's byte alphabet
     * @param merges "left right", best first
     * @param words strings that are always one token
     * @param control turn markers, field markers and tags
     */
    public record BpeVocabulary(
            List<String> tokens, List<String> merges, List<String> words, List<ControlToken> control) {
        public BpeVocabulary {
            tokens = List.copyOf(tokens);
            merges = List.copyOf(merges);
            words = List.copyOf(words);
            control = List.copyOf(control);
        }

        public int size() {
            return tokens.size() + words.size() + control.size();
        }

        /**
         * A token that plain text can never contain.
         *
         * @param text in templates
         * @param special whether decoding may drop it (turn markers); false for content (tags)
         */
        public record ControlToken(String text, boolean special) {}
    }
}
