package dev.prpf.data;

/** One step of a {@link ScreenTrajectory}. */
public sealed interface TraceStep {

    /**
     * An image of the screen.
     *
     * @param path path relative to the image root, as the record gives it
     */
    record Screenshot(String path) implements TraceStep {}

    /**
     * A step told in words between images.
     *
     * @param text the description
     */
    record Caption(String text) implements TraceStep {}
}
