package dev.prpf.data.encode;

import java.util.List;
import java.util.regex.Pattern;

/** What of profile, phone and world gets a vector of its own. */
public enum ContextUnit {
    /** The whole text, as in PRPF eq. 3. */
    TEXT,
    /**
     * Each sentence. The vector of a long text hardly shows one sentence among many; a sentence that stands in many texts is also
     * encoded only once.
     */
    SENTENCE;

    /** Behind a Chinese full stop, question or exclamation mark or semicolon; behind a western one with a space; at a line's end. */
    private static final Pattern END = Pattern.compile("(?<=[。！？；])|(?<=[.!?;])\\s+|\\R");

    /** A text's parts in order, at least one. */
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
