package dev.prpf.par.serve.cascade;

import dev.prpf.data.TraceStep;
import java.util.List;

/**
 * How much of its past a session keeps: never more than a request may bring at once.
 *
 * @param steps at most
 * @param pictures at most
 * @param characters of captions and context together
 * @param bytes of steps in memory
 */
record SessionWindow(int steps, int pictures, int characters, long bytes) {
    static SessionWindow of(CascadeRoutes.Limits limits) {
        return new SessionWindow(
                Math.min(limits.sessions().maxFrames(), limits.cascade().maxSteps()),
                limits.http().maxPictures(),
                limits.cascade().maxCharacters(),
                (long) limits.sessions().maxMb() << 20);
    }

    /** Bytes that a step takes in memory: base64 is a byte a character, other texts up to two. */
    static long bytesOf(TraceStep step) {
        return step instanceof TraceStep.Caption told
                ? 2L * told.text().length()
                : step.text(TraceStep.Screenshot::path).length();
    }

    static long bytesOf(List<TraceStep> all) {
        return all.stream().mapToLong(SessionWindow::bytesOf).sum();
    }

    /**
     * How many of the first steps there is no room for; the last one is kept.
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
            if (shots > pictures || read > characters || held > bytes) {
                break;
            }
            from--;
        }
        return Math.min(from, all.size() - 1);
    }
}
