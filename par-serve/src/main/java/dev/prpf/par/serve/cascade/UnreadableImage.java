package dev.prpf.par.serve.cascade;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.image.DataUrl;
import org.jspecify.annotations.Nullable;

/** An image with a valid header and corrupt pixels, and why it cannot be decoded. */
record UnreadableImage(TraceStep.Screenshot image, String why) {
    /** Returns a sample's first image that cannot be decoded; null if all can. */
    static @Nullable UnreadableImage in(Sample sample) {
        for (TraceStep.Screenshot shot : sample.trajectory().screenshots()) {
            try {
                if (DataUrl.is(shot.path())) {
                    Pixels.read(DataUrl.bytes(shot.path()));
                }
            } catch (InvalidDataException e) {
                return new UnreadableImage(shot, String.valueOf(e.getMessage()));
            }
        }
        return null;
    }
}
