package dev.prpf.data;

/** One step of a {@link ScreenTrajectory}. */
public sealed interface Frame {

    /**
     * A picture of the screen.
     *
     * @param picture path relative to the image root, as the record gives it
     */
    record Screenshot(String picture) implements Frame {}

    /**
     * A step told in words between pictures.
     *
     * @param text the description
     */
    record Caption(String text) implements Frame {}
}
