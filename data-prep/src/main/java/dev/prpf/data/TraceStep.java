package dev.prpf.data;

import java.util.function.Function;

/** One step of a {@link Trajectory}. */
public sealed interface TraceStep {

    /**
     * A screenshot of the phone.
     *
     * @param path relative to the image root as in the record, or the image as a data URL
     */
    record Screenshot(String path) implements TraceStep {
        private static final int SHOWN = 80;

        /** Returns the path for messages, or the beginning of a data URL. */
        @Override
        public String toString() {
            return path.length() <= SHOWN ? path : path.substring(0, SHOWN) + "…";
        }
    }

    /**
     * A step described in words.
     *
     * @param text the description
     */
    record Caption(String text) implements TraceStep {}

    /** Returns the caption, or the text that the function reads from a screenshot. */
    default String text(Function<Screenshot, String> reader) {
        return this instanceof Screenshot shot ? reader.apply(shot) : ((Caption) this).text();
    }
}
