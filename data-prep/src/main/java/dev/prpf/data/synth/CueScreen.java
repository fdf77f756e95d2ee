package dev.prpf.data.synth;

/**
 * The look that decides a sample's answer.
 *
 * @param kind the kind of look
 * @param options number of things that could be lit
 * @param lit index of the lit thing, from 0; -1 for none
 * @param width of the screen in pixels
 * @param height of the screen in pixels
 */
public record CueScreen(Kind kind, int options, int lit, int width, int height) {
    /** The only difference between the things of a screen. */
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
