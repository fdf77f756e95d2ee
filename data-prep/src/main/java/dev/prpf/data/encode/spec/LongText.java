package dev.prpf.data.encode.spec;

/** The rule for texts that exceed the encoder's tokens. */
public enum LongText {
    /** Encodes the beginning of the text only. */
    TRUNCATE,
    /** Encodes consecutive windows; the text's vector is the normalised mean of their vectors. */
    MEAN_OF_WINDOWS;

    /** Returns the name used in encoder ids and files. */
    public String label() {
        return this == TRUNCATE ? "truncate" : "mean-of-windows";
    }
}
