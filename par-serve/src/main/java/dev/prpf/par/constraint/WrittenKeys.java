package dev.prpf.par.constraint;

import dev.prpf.par.constraint.States.State;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Tracks the keys that one response has written in its open objects, so that no key is repeated. States do not contain keys. */
final class WrittenKeys {
    private final List<List<String>> objects = new ArrayList<>();
    private final StringBuilder key = new StringBuilder();

    /** Reads a byte that led from one state to another; returns false if it ended a duplicate key. */
    boolean step(State from, int b, State to) {
        while (objects.size() > to.openObjects()) {
            objects.remove(objects.size() - 1);
        }
        while (objects.size() < to.openObjects()) {
            objects.add(new ArrayList<>());
        }
        if (from.inKey() && to.inKey()) {
            key.append((char) b);
        } else if (from.inKey()) {
            boolean repeats = repeats();
            before().add(key.toString());
            key.setLength(0);
            return !repeats;
        }
        return true;
    }

    private List<String> before() {
        return objects.get(objects.size() - 1);
    }

    /** Returns whether the key so far is a key of the object. */
    boolean repeats() {
        return before().contains(key.toString());
    }

    /**
     * Removes from tokens that may continue a key those that end it as a duplicate.
     *
     * @param toNew whether to remove tokens that lead to a duplicate key too
     */
    long[] without(long[] tokens, TokenTrie trie, boolean toNew) {
        long[] kept = null;
        for (String other : before()) {
            int node = other.startsWith(key.toString()) ? trie.find(latin(other.substring(key.length()))) : -1;
            if (node >= 0) {
                kept = kept == null ? tokens.clone() : kept;
                remove(node, trie, toNew, kept);
            }
        }
        return kept == null ? tokens : kept;
    }

    private static void remove(int node, TokenTrie trie, boolean toNew, long[] tokens) {
        if (toNew && node > 0) {
            trie.unmark(node, tokens);
        }
        int closed = trie.child(node, '"');
        for (int below = closed; closed >= 0 && below < trie.end(closed); below++) {
            trie.unmark(below, tokens);
        }
    }

    private static byte[] latin(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
