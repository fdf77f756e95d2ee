package dev.prpf.par.model;

/** Why a generation ended. */
public enum Finish {
    /** An end token was written; it is the last token. */
    END_TOKEN,
    /** The text came to hold one of the stop texts; the last token completed it. */
    STOP_TEXT,
    /** No more tokens were asked for, or the model has no more positions. */
    LENGTH,
    /** The caller called it off. */
    CANCELLED
}
