package dev.prpf.par.sets;

import dev.prpf.data.Sample;
import dev.prpf.mpp.Perception;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A sample with what the perceiver predicts for it.
 *
 * @param perception null where no perceiver ran
 */
public record PerceivedSample(Sample sample, @Nullable Perception perception) {
    /** Samples that no perceiver saw. */
    public static List<PerceivedSample> without(List<Sample> samples) {
        return samples.stream().map(sample -> new PerceivedSample(sample, null)).toList();
    }
}
