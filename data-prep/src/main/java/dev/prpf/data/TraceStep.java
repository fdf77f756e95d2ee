package dev.prpf.data;

import java.util.function.Function;

/** One step of a {@link Trajectory}. */
public sealed interface TraceStep {

    /**
     * An image of the screen.
     *
     * @param path relative to the image root, as the record gives it; or the image itself as a data URL
     */
    record Screenshot(String path) implements TraceStep {
        private static final int SHOWN = 80;

        /** The path as messages name it: of a data URL its beginning. */
        @Override
        public String toString() {
            return path.length() <= SHOWN ? path : path.substring(0, SHOWN) + "…";
        }
    }

    /**
     * A step told in words.
     *
     * @param text the description
     */
    record Caption(String text) implements TraceStep {}

    /** What the step says in words; of a screenshot what the function reads from it. */
    default String text(Function<Screenshot, String> reader) {
        return this instanceof Screenshot shot ? reader.apply(shot) : ((Caption) this).text();
    }
}
