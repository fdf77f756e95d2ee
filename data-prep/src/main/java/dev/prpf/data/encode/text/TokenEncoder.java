package dev.prpf.data.encode.text;

import java.util.function.Consumer;

/** A text encoder that also takes texts as ids of its own tokenizer. The special tokens around a text may be included or left out. */
public interface TokenEncoder extends TextEncoder {
    /** Number of token ids; valid ids are smaller. */
    int vocabularySize();

    /** Tokens of a text that the network reads, special ones included. */
    int tokensOf(String text);

    /** Tokens that the network reads of a text given as ids, special ones included. */
    int tokensOf(long[] ids);

    /**
     * Encodes a text given as ids, window by window; its vector is that of the text.
     *
     * @param turn runs a part as in {@link #encode(java.util.List, Consumer)}
     */
    float[] encodeIds(long[] ids, Consumer<Runnable> turn);
}
