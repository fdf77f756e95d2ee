package dev.prpf.data;

import java.util.List;

/**
 * A trajectory told in words.
 *
 * @param steps one description a step, oldest first
 */
public record TextTrajectory(List<String> steps) implements Trajectory {
    public TextTrajectory {
        steps = List.copyOf(steps);
    }

    @Override
    public int length() {
        return steps.size();
    }
}
