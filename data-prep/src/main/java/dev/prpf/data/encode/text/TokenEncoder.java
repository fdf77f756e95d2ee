package dev.prpf.data.encode.text;

import java.util.function.Consumer;

/** A text encoder that also accepts token ids of its own tokenizer, with or without special tokens. */
public interface TokenEncoder extends TextEncoder {
    /** Returns the number of token ids; valid ids are smaller. */
    int vocabularySize();

    /** Returns the number of a text's tokens that the network reads, including special tokens. */
    int tokensOf(String text);

    /** Returns the number of tokens that the network reads of a text given as ids, including special tokens. */
    int tokensOf(long[] ids);

    /**
     * Encodes a text given as ids, window by window; the vector equals that of the text.
     *
     * @param turn runs a part as in {@link #encode(java.util.List, Consumer)}
     */
    float[] encodeIds(long[] ids, Consumer<Runnable> turn);
}
