package dev.prpf.par.tokenizer;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds whole words in text, leftmost and longest first, as the tokenizer finds its added tokens. */
final class WordTrie {
    private final Node root = new Node();

    private static final class Node {
        private final Map<Character, Node> next = new HashMap<>();
        private boolean word;
    }

    WordTrie(Collection<String> words) {
        for (String word : words) {
            Node node = root;
            for (int i = 0; i < word.length(); i++) {
                node = node.next.computeIfAbsent(word.charAt(i), c -> new Node());
            }
            node.word = true;
        }
    }

    /** Hands over the stretches between the words. */
    void between(String text, Consumer<String> sink) {
        int begin = 0;
        int at = 0;
        while (at < text.length()) {
            int length = longestAt(text, at);
            if (length == 0) {
                at++;
                continue;
            }
            if (at > begin) {
                sink.accept(text.substring(begin, at));
            }
            at += length;
            begin = at;
        }
        if (begin < text.length()) {
            sink.accept(text.substring(begin));
        }
    }

    private int longestAt(String text, int at) {
        @Nullable Node node = root;
        int longest = 0;
        for (int i = at; i < text.length(); i++) {
            node = node.next.get(text.charAt(i));
            if (node == null) {
                break;
            }
            if (node.word) {
                longest = i + 1 - at;
            }
        }
        return longest;
    }
}
