package dev.prpf.data.encode.spec;

/** The pooling of token vectors, shape (T, W), to a text's vector, shape (W). */
public enum Pooling {
    /** The vector of the first token, {@code [CLS]}. */
    CLS,
    /** The mean over all tokens, including special ones, as in sentence-transformers. */
    MEAN,
    /** No pooling: the network has an output of shape (B, W). */
    NONE
}
