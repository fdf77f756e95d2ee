package dev.prpf.data;

import java.util.List;

/**
 * A trajectory of screens; a record with at least one picture is multimodal, and text steps may stand between its pictures.
 *
 * @param frames oldest first
 */
public record ScreenTrajectory(List<Frame> frames) implements Trajectory {
    public ScreenTrajectory {
        frames = List.copyOf(frames);
        if (frames.stream().noneMatch(Frame.Screenshot.class::isInstance)) {
            throw new IllegalArgumentException("a screen trajectory needs at least one picture");
        }
    }

    @Override
    public int length() {
        return frames.size();
    }
}
