package dev.prpf.data.encode.spec;

/** How the vectors of a text's tokens, shape (T, W), become the text's vector, shape (W). */
public enum Pooling {
    /** The first token's, {@code [CLS]}. */
    CLS,
    /** The mean over all tokens, special ones included, as sentence-transformers takes it. */
    MEAN,
    /** The network has an output of shape (B, W) already. */
    NONE
}
