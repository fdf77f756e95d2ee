package dev.prpf.data.synth;

import java.util.Locale;

/** What kind of moment a made sample shows, and so whether to act. */
public enum Temper {
    /** A need stands open: act. */
    OPEN_NEED,
    /** Nothing is needed. */
    UNEVENTFUL,
    /** A need is met by the user himself, later in the trace. */
    ALREADY_DONE,
    /** The time that the need names has passed. */
    WRONG_TIME,
    /** The profile states a wish not to be helped with just this topic. */
    AGAINST_WISH;

    /** The name used in results: {@code open_need}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean acts() {
        return this == OPEN_NEED;
    }
}
