package dev.prpf.eval.ablate;

import java.util.List;
import java.util.stream.IntStream;

/** Looks up options among the words of a command line. */
final class CommandWords {
    private CommandWords() {}

    /** What an option is given, behind a blank or an equals sign; empty where it is not there. */
    static String option(List<String> words, String option) {
        return IntStream.range(0, words.size())
                .filter(i -> is(words.get(i), option))
                .mapToObj(i -> value(words, i, option))
                .findFirst()
                .orElse("");
    }

    private static String value(List<String> words, int at, String option) {
        if (words.get(at).startsWith(option + "=")) {
            return words.get(at).substring(option.length() + 1);
        }
        return at + 1 < words.size() ? words.get(at + 1) : "";
    }

    static boolean has(List<String> words, String option) {
        return words.stream().anyMatch(word -> is(word, option));
    }

    private static boolean is(String word, String option) {
        return word.equals(option) || word.startsWith(option + "=");
    }
}
