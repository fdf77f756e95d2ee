package dev.prpf.data.synth;

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

    public boolean acts() {
        return this == OPEN_NEED;
    }

    /** Silent although a need shows. */
    public boolean tempting() {
        return this == ALREADY_DONE || this == WRONG_TIME || this == AGAINST_WISH;
    }
}
