package dev.prpf.data.encode.spec;

/** What becomes of a text longer than the encoder can take. */
public enum LongText {
    /** Its head is encoded, the rest is lost. */
    TRUNCATE,
    /** It is cut into consecutive windows, and the mean of their vectors, normalised again, is its vector. */
    MEAN_OF_WINDOWS;

    /** The name used in encoder ids and files. */
    public String label() {
        return this == TRUNCATE ? "truncate" : "mean-of-windows";
    }
}
