package dev.prpf.par.tokenizer;

import static dev.prpf.base.config.Rule.require;

/**
 * How a tokenizer is trained.
 *
 * @param vocabulary number of ids at most: bytes, merges, words and control tokens
 * @param minCount pairs and values rarer than this are not made tokens
 * @param maxCharacters longest merged token of Chinese text, in characters
 */
public record BpeSettings(int vocabulary, int minCount, int maxCharacters) {
    public BpeSettings {
        require(vocabulary >= 300, "vocabulary", vocabulary, "at least 300 (256 are the bytes)");
        require(minCount >= 1, "min-count", minCount, "at least 1");
        require(maxCharacters >= 1, "max-characters", maxCharacters, "at least 1");
    }
}
