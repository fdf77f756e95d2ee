package dev.prpf.par.serve.cascade;

import dev.prpf.data.Trajectory.TraceStep;
import java.util.List;

/**
 * Bounds the steps that a session keeps: never more than one request may contain.
 *
 * @param steps most steps
 * @param images most images
 * @param characters of captions and context together
 * @param bytes of steps in memory
 */
record SessionWindow(int steps, int images, int characters, long bytes) {
    static SessionWindow of(CascadeRoutes.Limits limits) {
        return new SessionWindow(
                Math.min(limits.sessions().maxFrames(), limits.cascade().maxSteps()),
                limits.http().maxImages(),
                limits.cascade().maxCharacters(),
                (long) limits.sessions().maxMb() << 20);
    }

    /** Returns a step's bytes in memory: one byte per character of base64, up to two of other texts. */
    static long bytesOf(TraceStep step) {
        return step instanceof TraceStep.Caption caption
                ? 2L * caption.text().length()
                : step.text(TraceStep.Screenshot::path).length();
    }

    static long bytesOf(List<TraceStep> all) {
        return all.stream().mapToLong(SessionWindow::bytesOf).sum();
    }

    /**
     * Returns the number of first steps without room; the last step is always kept.
     *
     * @param context characters of the context
     */
    int beyond(List<TraceStep> all, long context) {
        int from = all.size();
        int shots = 0;
        long read = context;
        long held = 0;
        while (from > 0 && all.size() - from < steps) {
            TraceStep step = all.get(from - 1);
            shots += step instanceof TraceStep.Screenshot ? 1 : 0;
            read += step.text(shot -> "").length();
            held += bytesOf(step);
            if (shots > images || read > characters || held > bytes) {
                break;
            }
            from--;
        }
        return Math.min(from, all.size() - 1);
    }
}
