package dev.prpf.par.tokenizer;

import java.util.List;

/**
 * A trained byte-level BPE with its added tokens; ids number tokens, words and control tokens in this order.
 *
 * @param tokens in GPT-2's byte alphabet
 * @param merges "left right", best first
 * @param words strings that are always one token
 * @param control turn markers, field markers and tags
 */
public record BpeVocabulary(List<String> tokens, List<String> merges, List<String> words, List<ControlToken> control) {
    public BpeVocabulary {
        tokens = List.copyOf(tokens);
        merges = List.copyOf(merges);
        words = List.copyOf(words);
        control = List.copyOf(control);
    }

    /** The number of ids. */
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
