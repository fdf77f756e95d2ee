package dev.prpf.data.encode.text;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** BGE's word pieces, without the special tokens and of any length; windows are cut and framed here. */
final class BgeTokenizer implements AutoCloseable {
    /** Tokens the network takes, {@code [CLS]} and {@code [SEP]} included. */
    static final int MAX_TOKENS = 512;
    /** Tokens of the text itself that fit. */
    static final int WINDOW = MAX_TOKENS - 2;

    private static final long CLS = 101;
    private static final long SEP = 102;

    private final HuggingFaceTokenizer pieces;

    private BgeTokenizer(HuggingFaceTokenizer pieces) {
        this.pieces = pieces;
    }

    static BgeTokenizer load() {
        // Without truncation=false the binding silently cuts at 512.
        Map<String, String> options = Map.of("addSpecialTokens", "false", "truncation", "false", "padding", "false");
        try (ByteArrayInputStream json = new ByteArrayInputStream(BgeTextEncoder.TOKENIZER.bytes())) {
            return new BgeTokenizer(HuggingFaceTokenizer.newInstance(json, options));
        } catch (IOException e) {
            throw new UncheckedIOException(BgeTextEncoder.TOKENIZER.name(), e);
        }
    }

    /** The ids of a text, not framed and not cut; several threads may ask at once. */
    long[] ids(String text) {
        return pieces.encode(text, false, false).getIds();
    }

    /** How many windows the text of so many tokens has; an empty text has one. */
    static int windows(int tokens) {
        return Math.max(1, (tokens + WINDOW - 1) / WINDOW);
    }

    /** The n-th window, framed: {@code [CLS]}, at most {@link #WINDOW} tokens, {@code [SEP]}. */
    static long[] window(long[] ids, int n) {
        int from = n * WINDOW;
        int length = Math.min(WINDOW, ids.length - from);
        long[] framed = new long[length + 2];
        framed[0] = CLS;
        System.arraycopy(ids, from, framed, 1, length);
        framed[length + 1] = SEP;
        return framed;
    }

    @Override
    public void close() {
        pieces.close();
    }
}
