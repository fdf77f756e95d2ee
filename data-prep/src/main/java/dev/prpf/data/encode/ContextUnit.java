package dev.prpf.data.encode;

import java.util.List;
import java.util.regex.Pattern;

/** The unit of profile, phone and world that gets its own vector. */
public enum ContextUnit {
    /** The whole text, as in PRPF eq. 3. */
    TEXT,
    /**
     * Each sentence of a text. The vector of a long text hardly reflects one sentence of many. A sentence of several texts is
     * encoded only once.
     */
    SENTENCE;

    /** Ends of sentences: a Chinese full stop, question or exclamation mark or semicolon; a western one with a space; a line end. */
    private static final Pattern END = Pattern.compile("(?<=[。！？；])|(?<=[.!?;])\\s+|\\R");

    /** Returns a text's parts in order, at least one. */
    List<String> parts(String text) {
        if (this == TEXT) {
            return List.of(text);
        }
        List<String> sentences = END.splitAsStream(text)
                .filter(sentence -> !sentence.isBlank())
                .map(String::strip)
                .toList();
        return sentences.isEmpty() ? List.of(text) : sentences;
    }
}
