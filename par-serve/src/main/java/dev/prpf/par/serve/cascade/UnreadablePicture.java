package dev.prpf.par.serve.cascade;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.Sample;
import dev.prpf.data.TraceStep;
import dev.prpf.data.encode.image.DataUrl;

/** A picture whose header is sound and whose pixels are not. */
final class UnreadablePicture extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient TraceStep.Screenshot picture;

    private UnreadablePicture(TraceStep.Screenshot picture, InvalidDataException cause) {
        super(cause.getMessage(), cause);
        this.picture = picture;
    }

    TraceStep.Screenshot picture() {
        return picture;
    }

    /** The first of a moment's pictures that cannot be decoded; where there is none, the failure itself. */
    static RuntimeException of(Sample sample, InvalidDataException failure) {
        for (TraceStep.Screenshot shot : sample.trajectory().screenshots()) {
            if (DataUrl.is(shot.path())) {
                try {
                    Pixels.read(DataUrl.bytes(shot.path()));
                } catch (InvalidDataException e) {
                    return new UnreadablePicture(shot, e);
                }
            }
        }
        return failure;
    }
}
