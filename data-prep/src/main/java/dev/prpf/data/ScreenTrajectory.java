package dev.prpf.data;

import java.util.List;
import java.util.stream.Stream;

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

    /**
     * The latest part: the frames from the n-th last screenshot on, captions between them included; this one if it has no more screenshots.
     *
     * @param screenshots n, at least 1
     */
    public ScreenTrajectory last(int screenshots) {
        int seen = 0;
        int from = frames.size();
        while (from > 0 && seen < screenshots) {
            from--;
            seen += frames.get(from) instanceof Frame.Screenshot ? 1 : 0;
        }
        boolean earlier = frames.subList(0, from).stream().anyMatch(Frame.Screenshot.class::isInstance);
        return earlier ? new ScreenTrajectory(frames.subList(from, frames.size())) : this;
    }

    /** Paths of the screenshots, oldest first. */
    public List<String> screenshots() {
        return frames.stream()
                .flatMap(frame -> frame instanceof Frame.Screenshot shot ? Stream.of(shot.picture()) : Stream.empty())
                .toList();
    }

    @Override
    public int length() {
        return frames.size();
    }
}
