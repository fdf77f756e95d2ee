package dev.prpf.par.serve.cascade;

import dev.prpf.data.Sample;
import dev.prpf.data.TraceStep;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which fields of a request brought a moment: what a refusal names.
 *
 * @param trajectory of the steps; null where the request has none
 * @param picture of a picture, with {@code %d} for its step; null where the request has none
 */
record MomentFields(@Nullable String trajectory, @Nullable String picture) {
    /** Of a moment that comes whole. */
    static MomentFields whole(String trace) {
        return new MomentFields(trace, trace + "[%d].picture");
    }

    /** Of a session's frame. */
    static MomentFields frame() {
        return new MomentFields(null, "image");
    }

    /** Of a question to a session. */
    static MomentFields question(boolean inWords) {
        return new MomentFields(inWords ? "query" : null, null);
    }

    /** The field of a moment's picture. */
    @Nullable
    String pictureField(Sample moment, TraceStep.Screenshot shot) {
        List<TraceStep> steps = moment.trajectory().steps();
        int index = 0;
        while (index < steps.size() && steps.get(index) != shot) {
            index++;
        }
        return picture == null ? null : picture.formatted(index);
    }
}
