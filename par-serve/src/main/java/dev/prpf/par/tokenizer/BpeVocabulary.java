package dev.prpf.par.tokenizer;

import java.util.List;

/**
 * A trained byte-level BPE with its added tokens; ids run through tokens, words and control tokens in this order.
 *
 * @param tokens in GPT-2's byte alphabet
 * @param merges "left right", best first
 * @param words strings that are one token wherever they occur
 * @param control turn markers, field markers and tags
 */
public record BpeVocabulary(List<String> tokens, List<String> merges, List<String> words, List<ControlToken> control) {
    public BpeVocabulary {
        tokens = List.copyOf(tokens);
        merges = List.copyOf(merges);
        words = List.copyOf(words);
        control = List.copyOf(control);
    }

    /** Number of ids. */
    public int size() {
        return tokens.size() + words.size() + control.size();
    }

    /**
     * A token that plain text can never contain.
     *
     * @param text as in a template
     * @param special whether decoding may drop it (turn markers), or it is part of what is said (tags)
     */
    public record ControlToken(String text, boolean special) {}
}
