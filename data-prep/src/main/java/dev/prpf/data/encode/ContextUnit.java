package dev.prpf.data.encode;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What of profile, phone and world gets a vector of its own. */
public enum ContextUnit {
    /** The whole text, as in PRPF eq. 3. */
    TEXT {
        @Override
        List<String> parts(String text) {
            return List.of(text);
        }
    },
    /**
     * Each sentence. The vector of a long text hardly shows one sentence among many; a sentence that stands in many texts is also
     * encoded only once.
     */
    SENTENCE {
        @Override
        List<String> parts(String text) {
            List<String> sentences = new ArrayList<>();
            for (String sentence : END.split(text, -1)) {
                if (!sentence.isBlank()) {
                    sentences.add(sentence.strip());
                }
            }
            return sentences.isEmpty() ? List.of(text) : sentences;
        }
    };

    /** Behind a Chinese full stop, question or exclamation mark or semicolon; behind a western one with a space; at a line's end. */
    private static final Pattern END = Pattern.compile("(?<=[。！？；])|(?<=[.!?;])\\s+|\\R");

    /** A text's parts in order, at least one. */
    abstract List<String> parts(String text);
}
