package dev.prpf.data.synth;

/**
 * The look that decides a sample's answer.
 *
 * @param kind of look
 * @param options how many things could be lit
 * @param lit which one is, from 0 on; -1 for none
 * @param width of the screen in pixels
 * @param height of the screen in pixels
 */
public record CueScreen(Kind kind, int options, int lit, int width, int height) {
    /** What differs between the things of a screen, and nothing else does. */
    public enum Kind {
        /** The switch that is on. */
        SWITCH,
        /** The icon that carries the red badge. */
        BADGE,
        /** The row that is marked. */
        HIGHLIGHT,
        /** The colour of the one sign in the middle. */
        COLOUR
    }
}
