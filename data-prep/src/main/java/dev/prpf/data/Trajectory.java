package dev.prpf.data;

import java.util.List;

/**
 * What the user did last.
 *
 * @param steps oldest first, T of them; without any the trajectory is a defect that {@code data validate} reports
 */
public record Trajectory(List<TraceStep> steps) {
    /** One blank text: stands for a trajectory that is not shown to a perceiver, which reads one step at least. */
    public static final Trajectory BLANK = ofTexts(List.of(""));

    public Trajectory {
        steps = List.copyOf(steps);
    }

    /** A trajectory told in words, one text a step. */
    public static Trajectory ofTexts(List<String> texts) {
        return new Trajectory(
                texts.stream().<TraceStep>map(TraceStep.Caption::new).toList());
    }

    /** This, or {@link #BLANK} where it has no step. */
    public Trajectory orBlank() {
        return steps.isEmpty() ? BLANK : this;
    }

    /** The steps told in words, oldest first. */
    public List<String> texts() {
        return of(TraceStep.Caption.class).stream().map(TraceStep.Caption::text).toList();
    }

    /** The screenshots, oldest first. */
    public List<TraceStep.Screenshot> screenshots() {
        return of(TraceStep.Screenshot.class);
    }

    private <S extends TraceStep> List<S> of(Class<S> kind) {
        return steps.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /**
     * The latest part: the steps from the n-th last screenshot on, captions between them included; this one if it has no more screenshots.
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
}
