package dev.prpf.data.synth;

import java.util.Locale;

/** The situation in a generated sample, which decides whether help is due. */
public enum Temper {
    /** A need is open, so the answer acts. */
    OPEN_NEED,
    /** The sample shows no need. */
    UNEVENTFUL,
    /** The user meets the need later in the trace. */
    ALREADY_DONE,
    /** The time of the need has passed. */
    WRONG_TIME,
    /** The profile states a wish not to be helped with this topic. */
    AGAINST_WISH;

    /** Returns the name used in results: {@code open_need}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean acts() {
        return this == OPEN_NEED;
    }
}
