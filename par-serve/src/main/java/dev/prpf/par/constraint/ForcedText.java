package dev.prpf.par.constraint;

import dev.prpf.par.constraint.States.State;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tokens of text that must come next, in the tokenizer's segmentation, so that they need no forward pass each. A last token that begins a
 * longer possible one is left to the model: the tokenizer might have merged it with the next text.
 *
 * @param encoder ids of a text, with control tokens for tags
 */
record ForcedText(TokenTrie trie, Function<String, long[]> encoder) {
    private static final long[] NONE = {};

    /**
     * Returns the tokens that must follow a state. Empty without any, if they end inside a character, or if no room is left to complete the text
     * after them.
     */
    long[] after(State state, int left) {
        byte[] bytes = bytes(state);
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (bytes.length == 0 || !Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes)) {
            return NONE;
        }
        long[] ids = encoder.apply(text);
        if (!Arrays.equals(written(ids, ids.length), bytes)) {
            return NONE;
        }
        State then = after(state, bytes);
        int length = ids.length;
        if (prolonged(ids[length - 1], then)) {
            then = after(state, written(ids, --length));
        }
        return length + then.cost() > left ? NONE : Arrays.copyOf(ids, length);
    }

    /** Returns the bytes of the first tokens; empty if one of them never occurs in a text. */
    private byte[] written(long[] ids, int length) {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        for (int i = 0; i < length; i++) {
            byte[] token = trie.written(ids[i]);
            if (token == null) {
                return new byte[0];
            }
            written.writeBytes(token);
        }
        return written.toByteArray();
    }

    private static byte[] bytes(State state) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        State at = state;
        int only = onlyByte(at);
        while (at != null && only >= 0) {
            bytes.write(only);
            at = at.step(only);
            only = onlyByte(at);
        }
        return bytes.toByteArray();
    }

    private static int onlyByte(@Nullable State state) {
        return state == null || state.head() == null ? -1 : state.head().onlyByte();
    }

    static State after(State state, byte[] bytes) {
        State then = state;
        for (byte b : bytes) {
            then = Objects.requireNonNull(then.step(b & 0xFF));
        }
        return then;
    }

    /** Returns whether text that may follow a token could form one token with it. */
    private boolean prolonged(long id, State then) {
        byte[] token = trie.written(id);
        int node = token == null ? -1 : trie.find(token);
        return node >= 0 && tokenBelow(node, then);
    }

    private boolean tokenBelow(int node, State state) {
        for (int child = node + 1; child < trie.end(node); child = trie.end(child)) {
            State then = state.step(trie.label(child));
            if (then != null && (trie.isToken(child) || tokenBelow(child, then))) {
                return true;
            }
        }
        return false;
    }
}
