package dev.prpf.data;

import java.util.List;
import java.util.stream.Stream;

/**
 * A trajectory of screens; a record with at least one screenshot is multimodal, and text steps may stand between its screenshots.
 *
 * @param steps oldest first
 */
public record ScreenTrajectory(List<TraceStep> steps) implements Trajectory {
    public ScreenTrajectory {
        steps = List.copyOf(steps);
        if (steps.stream().noneMatch(TraceStep.Screenshot.class::isInstance)) {
            throw new IllegalArgumentException("a screen trajectory needs at least one screenshot");
        }
    }

    /**
     * The latest part: the steps from the n-th last screenshot on, captions between them included; this one if it has no more screenshots.
     *
     * @param screenshots n, at least 1
     */
    public ScreenTrajectory last(int screenshots) {
        int seen = 0;
        int from = steps.size();
        while (from > 0 && seen < screenshots) {
            from--;
            seen += steps.get(from) instanceof TraceStep.Screenshot ? 1 : 0;
        }
        boolean earlier = steps.subList(0, from).stream().anyMatch(TraceStep.Screenshot.class::isInstance);
        return earlier ? new ScreenTrajectory(steps.subList(from, steps.size())) : this;
    }

    /** Paths of the screenshots, oldest first. */
    public List<String> screenshots() {
        return steps.stream()
                .flatMap(step -> step instanceof TraceStep.Screenshot shot ? Stream.of(shot.path()) : Stream.empty())
                .toList();
    }

    @Override
    public int length() {
        return steps.size();
    }
}
