package dev.prpf.par.serve.cascade;

import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory.TraceStep;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names of the request fields that contain a sample's parts, for error messages.
 *
 * @param trajectory of the steps; null where the request has none
 * @param image path of an image, with {@code %d} for its step; null where the request has none
 */
record MomentFields(@Nullable String trajectory, @Nullable String image) {
    /** Fields of a complete sample. */
    static MomentFields whole(String trace) {
        return new MomentFields(trace, trace + "[%d].picture");
    }

    /** Fields of a session's frame. */
    static MomentFields frame() {
        return new MomentFields(null, "image");
    }

    /** Fields of a question to a session. */
    static MomentFields question(boolean inWords) {
        return new MomentFields(inWords ? "query" : null, null);
    }

    /** Returns the field that contained a sample's image. */
    @Nullable
    String imageField(Sample moment, TraceStep.Screenshot shot) {
        List<TraceStep> steps = moment.trajectory().steps();
        int index = 0;
        while (index < steps.size() && steps.get(index) != shot) {
            index++;
        }
        return image == null ? null : image.formatted(index);
    }
}
