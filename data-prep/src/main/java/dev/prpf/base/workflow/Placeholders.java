package dev.prpf.base.workflow;

import dev.prpf.base.error.Suggestion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * Fills the placeholders of plans. {@code {NAME}} is replaced by the text of a name, which may have placeholders too. A word
 * {@code {options.NAME}} is replaced by the words of its text. An unknown name that does not begin
 * with a letter stays unchanged, for instance the count of a regular expression.
 */
public final class Placeholders {
    /** The prefix of names with several words. */
    public static final String OPTIONS = "options.";

    private static final Pattern NAME = Pattern.compile("\\{((?:--)?\\w[\\w.-]*)}");

    private final Map<String, String> texts;
    private final Consumer<String> defects;
    private final Deque<String> open = new ArrayDeque<>();

    /**
     * @param texts by name
     * @param defects receives a message for each placeholder that cannot be filled; its value is empty
     */
    public Placeholders(Map<String, String> texts, Consumer<String> defects) {
        this.texts = texts;
        this.defects = defects;
    }

    /**
     * Fills a command line. Its words are split first, so a text with spaces stays one word.
     *
     * @param place of the command line, for messages; if empty, messages quote the word
     * @param own names of this command line only; their values are used unchanged
     */
    public List<String> words(String place, String text, Map<String, String> own) {
        List<String> words = new ArrayList<>();
        for (String word : StringUtils.split(text)) {
            Matcher whole = NAME.matcher(word);
            String name = whole.matches() ? whole.group(1) : "";
            String options = name.startsWith(OPTIONS) ? texts.get(name) : null;
            if (options == null) {
                words.add(word(place, word, own));
            } else if (begin(place, name)) {
                words.addAll(words(place, options, own));
                open.pop();
            }
        }
        return words;
    }

    /** Fills a single word or path, with the parameters of {@link #words}. */
    public String word(String place, String text, Map<String, String> own) {
        String at = place.isEmpty() ? "\"" + text + "\"" : place;
        return NAME.matcher(text).replaceAll(found -> Matcher.quoteReplacement(value(at, found.group(1), own)));
    }

    private String value(String place, String name, Map<String, String> own) {
        if (own.containsKey(name)) {
            return own.getOrDefault(name, "");
        }
        String text = name.startsWith(OPTIONS) ? null : texts.get(name);
        if (text == null && !name.matches("(--)?[A-Za-z].*")) {
            return "{" + name + "}";
        }
        if (text == null) {
            List<String> known = new ArrayList<>(texts.keySet());
            known.addAll(own.keySet());
            defects.accept(place + ": {" + name + "} "
                    + (texts.containsKey(name)
                            ? "is part of a word, must be a separate word"
                            : "is not defined" + Suggestion.hint(name, known)));
            return "";
        }
        if (!begin(place, name)) {
            return "";
        }
        String value = word(place, text, own);
        open.pop();
        return value;
    }

    private boolean begin(String place, String name) {
        if (open.contains(name)) {
            defects.accept(place + ": {" + name + "} refers to itself");
            return false;
        }
        open.push(name);
        return true;
    }

    /** Returns the names in a text and in the texts of these names, each once. */
    public Set<String> names(String text) {
        Set<String> names = new LinkedHashSet<>();
        collect(text, names);
        return names;
    }

    private void collect(@Nullable String text, Set<String> names) {
        NAME.matcher(text == null ? "" : text)
                .results()
                .map(found -> found.group(1))
                .filter(names::add)
                .forEach(name -> collect(texts.get(name), names));
    }
}
