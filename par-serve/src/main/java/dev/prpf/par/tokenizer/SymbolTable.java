package dev.prpf.par.tokenizer;

import java.util.ArrayList;
import java.util.List;

/** The symbols of a byte-level BPE: 256 bytes, then one a merge. */
final class SymbolTable {
    private final List<String> tokens = new ArrayList<>();
    private final List<String> merges = new ArrayList<>();
    private final List<Integer> characters = new ArrayList<>();
    private final List<Boolean> ascii = new ArrayList<>();

    SymbolTable() {
        for (int b = 0; b < ByteAlphabet.SIZE; b++) {
            tokens.add(String.valueOf(ByteAlphabet.of(b)));
            // A continuation byte does not begin a character.
            characters.add((b & 0xC0) == 0x80 ? 0 : 1);
            ascii.add(b < 0x80);
        }
    }

    int merge(int left, int right) {
        tokens.add(tokens.get(left) + tokens.get(right));
        merges.add(tokens.get(left) + " " + tokens.get(right));
        characters.add(characters.get(left) + characters.get(right));
        ascii.add(ascii.get(left) && ascii.get(right));
        return tokens.size() - 1;
    }

    boolean mayMerge(int left, int right, int maxCharacters) {
        return (ascii.get(left) && ascii.get(right)) || characters.get(left) + characters.get(right) <= maxCharacters;
    }

    /** In byte-alphabet form, by id. */
    List<String> tokens() {
        return List.copyOf(tokens);
    }

    /** In order of rank, "left right". */
    List<String> merges() {
        return List.copyOf(merges);
    }
}
