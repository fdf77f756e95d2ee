package dev.prpf.par.constraint;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of text that must come next, as the tokenizer writes that text. A last token that some token of the vocabulary prolongs is
 * left to the model: the tokenizer might have merged it with what follows.
 *
 * @param encoder ids of a text, tags recognised
 */
record ForcedText(TokenTrie trie, Function<String, long[]> encoder) {
    private static final long[] NONE = {};

    /** Of what must follow a state; empty if that is nothing, no whole characters, or too long to be completed after. */
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
        int length = prolonged(ids[ids.length - 1]) ? ids.length - 1 : ids.length;
        State then = state;
        for (byte b : written(ids, length)) {
            then = Objects.requireNonNull(then.step(b & 0xFF));
        }
        return length + then.cost() > left ? NONE : Arrays.copyOf(ids, length);
    }

    /** What the first tokens write; nothing where one of them never stands in a text. */
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

    private boolean prolonged(long id) {
        byte[] token = trie.written(id);
        int node = token == null ? -1 : trie.find(token);
        return node >= 0 && trie.end(node) > node + 1;
    }
}
