package dev.prpf.par.augment;

import dev.prpf.data.Sample;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Leaves silent samples out of a training set. Silence is soon learned and its prompts are the longest, so that a short training spends much
 * of its time on samples that teach nothing more.
 */
public final class SilentShare {
    private SilentShare() {}

    /**
     * The samples to train on, in their order.
     *
     * @param share of the samples whose target is silence that stay, in [0, 1]; all others stay
     * @param seed with a sample's id it decides, so that a sample's fate does not hang on its neighbours
     */
    public static List<Sample> keep(List<Sample> samples, double share, long seed) {
        return samples.stream()
                .filter(sample -> !isSilent(sample) || stays(sample.id(), share, seed))
                .toList();
    }

    /** Whether a silent sample of that id stays. */
    public static boolean stays(String id, double share, long seed) {
        return new SplittableRandom(seed * 1_000_003L + id.hashCode()).nextDouble() < share;
    }

    /** Whether a sample's target, its first valid answer, is silence. */
    static boolean isSilent(Sample sample) {
        return sample.labelled() && sample.target() == null;
    }
}
