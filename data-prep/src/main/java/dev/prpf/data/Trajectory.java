package dev.prpf.data;

import java.util.List;
import java.util.function.Function;

/**
 * The user's last steps.
 *
 * @param steps oldest first, T of them; {@code data validate} reports an empty trajectory as a defect
 */
public record Trajectory(List<TraceStep> steps) {
    /** A trajectory of one empty caption, for a perceiver that must not see the steps but needs at least one. */
    public static final Trajectory BLANK = ofTexts(List.of(""));

    public Trajectory {
        steps = List.copyOf(steps);
    }

    /** Creates a trajectory of captions, one per step. */
    public static Trajectory ofTexts(List<String> texts) {
        return new Trajectory(
                texts.stream().<TraceStep>map(TraceStep.Caption::new).toList());
    }

    /** Returns this trajectory, or {@link #BLANK} if it has no steps. */
    public Trajectory orBlank() {
        return steps.isEmpty() ? BLANK : this;
    }

    /** Returns the captions, oldest first. */
    public List<String> texts() {
        return of(TraceStep.Caption.class).stream().map(TraceStep.Caption::text).toList();
    }

    /** Returns the screenshots, oldest first. */
    public List<TraceStep.Screenshot> screenshots() {
        return of(TraceStep.Screenshot.class);
    }

    private <S extends TraceStep> List<S> of(Class<S> kind) {
        return steps.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /**
     * Returns the steps from the n-th last screenshot on, including captions; this trajectory if it has no more screenshots.
     *
     * @param screenshots n, at least 1
     */
    public Trajectory last(int screenshots) {
        int seen = 0;
        int from = steps.size();
        while (from > 0 && seen < screenshots) {
            from--;
            seen += steps.get(from) instanceof TraceStep.Screenshot ? 1 : 0;
        }
        return seen == screenshots().size() ? this : new Trajectory(steps.subList(from, steps.size()));
    }

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

        /** A step described in words. */
        record Caption(String text) implements TraceStep {}

        /** Returns the caption, or the text that the function reads from a screenshot. */
        default String text(Function<Screenshot, String> reader) {
            return this instanceof Screenshot shot ? reader.apply(shot) : ((Caption) this).text();
        }
    }
}
