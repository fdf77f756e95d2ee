package dev.prpf.par.tokenizer;

/**
 * How a tokenizer is trained.
 *
 * @param vocabulary number of ids at most: bytes, merges, words and control tokens
 * @param minCount pairs and values rarer than this are not made tokens
 * @param maxCharacters longest merged token of Chinese text, in characters
 */
public record BpeSettings(int vocabulary, int minCount, int maxCharacters) {
    public BpeSettings {
        if (vocabulary < 300) {
            throw new IllegalArgumentException(
                    "vocabulary = " + vocabulary + ", must be at least 300 (256 are the bytes)");
        }
        if (minCount < 1) {
            throw new IllegalArgumentException("min-count = " + minCount + ", must be at least 1");
        }
        if (maxCharacters < 1) {
            throw new IllegalArgumentException("max-characters = " + maxCharacters + ", must be at least 1");
        }
    }
}
