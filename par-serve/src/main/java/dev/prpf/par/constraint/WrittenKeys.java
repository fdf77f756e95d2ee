package dev.prpf.par.constraint;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys that a response has written in the open objects it stands in. No key may stand twice in its object, and states do not know what
 * was written: this does, for one response.
 */
final class WrittenKeys {
    private final List<List<String>> objects = new ArrayList<>();
    private final StringBuilder key = new StringBuilder();

    /** A byte was written, which led from one state to another; false if it ended a key that stands already. */
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

    /** Whether what is written of a key is one that stands in the object already. */
    boolean repeats() {
        return before().contains(key.toString());
    }

    /**
     * Of tokens that may go on with a key, those that do not end it as one that stands already.
     *
     * @param toNew whether they must not lead to such a key either
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
