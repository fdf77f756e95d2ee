package dev.prpf.par.serve.cascade;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.image.DataUrl;

/** Reports an image with a valid header and corrupt pixels. */
final class UnreadableImage extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient TraceStep.Screenshot image;

    private UnreadableImage(TraceStep.Screenshot image, InvalidDataException cause) {
        super(cause.getMessage(), cause);
        this.image = image;
    }

    TraceStep.Screenshot image() {
        return image;
    }

    /** Returns the error for a sample's first image that cannot be decoded, or the failure itself if all can. */
    static RuntimeException of(Sample sample, InvalidDataException failure) {
        for (TraceStep.Screenshot shot : sample.trajectory().screenshots()) {
            if (DataUrl.is(shot.path())) {
                try {
                    Pixels.read(DataUrl.bytes(shot.path()));
                } catch (InvalidDataException e) {
                    return new UnreadableImage(shot, e);
                }
            }
        }
        return failure;
    }
}
