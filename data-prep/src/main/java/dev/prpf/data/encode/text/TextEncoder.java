package dev.prpf.data.encode.text;

import dev.prpf.data.encode.store.EmbeddingStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** A frozen text encoder (f_text of PRPF eq. 2). */
public interface TextEncoder extends AutoCloseable {
    /** Maximum characters of short texts in one part of {@link #encode(List, Consumer)}. */
    int PART = 256;

    /** Returns the id of weights and version, part of every {@link EmbeddingStore} key and perceiver checkpoint. */
    String id();

    /** Returns the length of a vector. */
    int width();

    /** Returns one vector of {@link #width()} floats for each text, in order. */
    float[][] encode(List<String> texts);

    /**
     * Encodes texts in parts that take some hundredths of a second each: a few short texts, or a window of a long one.
     *
     * @param turn runs a part, for instance after the parts of other clients
     */
    default float[][] encode(List<String> texts, Consumer<Runnable> turn) {
        List<float[]> vectors = new ArrayList<>();
        List<List<String>> parts = new ArrayList<>();
        int characters = PART + 1;
        for (String text : texts) {
            characters += text.length();
            if (characters > PART) {
                parts.add(new ArrayList<>());
                characters = text.length();
            }
            parts.get(parts.size() - 1).add(text);
        }
        for (List<String> part : parts) {
            if (part.get(0).length() > PART) {
                vectors.add(encodeLong(part.get(0), turn));
            } else {
                turn.accept(() -> vectors.addAll(Arrays.asList(encode(part))));
            }
        }
        return vectors.toArray(float[][]::new); // (N, W)
    }

    /** Encodes a long text, in parts if the encoder has windows. */
    default float[] encodeLong(String text, Consumer<Runnable> turn) {
        List<float[]> vectors = new ArrayList<>();
        turn.accept(() -> vectors.addAll(Arrays.asList(encode(List.of(text)))));
        return vectors.get(0);
    }

    @Override
    void close();

    /** A text encoder that also accepts token ids of its own tokenizer, with or without special tokens. */
    interface TokenEncoder extends TextEncoder {
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
}
