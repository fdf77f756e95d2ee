package dev.prpf.par.constraint;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of text that must come next, as the tokenizer writes that text. A last token that some token of the vocabulary prolongs is
 * left to the model: the tokenizer might have merged it with what follows.
 */
final class ForcedText {
    private static final long[] NONE = {};

    private final TokenTrie trie;
    private final Function<String, long[]> encoder;

    /** @param encoder ids of a text, tags recognised */
    ForcedText(TokenTrie trie, Function<String, long[]> encoder) {
        this.trie = trie;
        this.encoder = encoder;
    }

    /** Of what must follow a state; empty if that is nothing, no whole characters, or too long to be completed after. */
    long[] after(State state, int left) {
        byte[] bytes = bytes(state);
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (bytes.length == 0 || !Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes)) {
            return NONE;
        }
        long[] ids = encoder.apply(text);
        int length = spelled(ids, bytes) ? ids.length : 0;
        if (length > 0 && prolonged(ids[length - 1])) {
            length--;
        }
        State then = follow(state, ids, length);
        return then == null || length + then.cost() > left ? NONE : Arrays.copyOf(ids, length);
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

    private boolean spelled(long[] ids, byte[] bytes) {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        for (long id : ids) {
            byte[] token = trie.written(id);
            if (token == null) {
                return false;
            }
            written.writeBytes(token);
        }
        return Arrays.equals(written.toByteArray(), bytes);
    }

    private boolean prolonged(long id) {
        byte[] token = trie.written(id);
        int node = token == null ? -1 : trie.find(token);
        return node >= 0 && trie.end(node) > node + 1;
    }

    private @Nullable State follow(State state, long[] ids, int length) {
        State at = state;
        for (int i = 0; i < length && at != null; i++) {
            at = step(at, trie.written(ids[i]));
        }
        return at;
    }

    private static @Nullable State step(State state, byte @Nullable [] token) {
        State at = token == null ? null : state;
        for (int i = 0; token != null && i < token.length && at != null; i++) {
            at = at.step(token[i] & 0xFF);
        }
        return at;
    }
}
