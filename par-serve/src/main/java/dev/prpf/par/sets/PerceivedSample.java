package dev.prpf.par.sets;

import dev.prpf.data.Sample;
import dev.prpf.mpp.Perception;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A labelled sample with the perceiver's prediction.
 *
 * @param perception null without a perceiver
 */
public record PerceivedSample(Sample sample, @Nullable Perception perception) {
    /** Wraps samples without a perception. */
    public static List<PerceivedSample> without(List<Sample> samples) {
        return samples.stream().map(sample -> new PerceivedSample(sample, null)).toList();
    }
}
