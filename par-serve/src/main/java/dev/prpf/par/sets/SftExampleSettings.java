package dev.prpf.par.sets;

import dev.prpf.base.config.Rule;
import dev.prpf.data.Sample;
import dev.prpf.par.augment.Augmentation;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * How examples are built; the {@code examples:} section of {@code configs/par-sft*.yaml}.
 *
 * @param topK scenarios a candidate pool holds; null for the whole pool
 * @param outOfPool what happens where a target's functions are not in the perceived scenarios
 * @param maxLength an example of more tokens is over-long
 * @param overLong what happens to over-long examples; they are never cut
 * @param silentShare of the samples whose target is silence that are trained on, in [0, 1]: silence is soon learned and its prompts are the longest
 * @param seed of the silent samples that stay, of the candidates and of the augmentation
 * @param augmentation how samples are rewritten before every epoch
 */
public record SftExampleSettings(
        @Nullable Integer topK,
        OutOfPool outOfPool,
        int maxLength,
        OverLong overLong,
        double silentShare,
        long seed,
        Augmentation.Settings augmentation)
        implements CandidateSettings {
    /** What to do with an example that is too long. */
    public enum OverLong {
        /** Leave with 65. */
        REFUSE,
        /** Leave it out and count it. */
        DROP
    }

    public SftExampleSettings {
        Rule.require(topK == null || topK > 0, "top-k", topK, "at least 1, or null for the whole pool");
        Rule.require(maxLength > 1, "max-length", maxLength, "at least 2");
        Rule.require(silentShare >= 0 && silentShare <= 1, "silent-share", silentShare, "in [0, 1]");
    }

    /** The samples to train on, in their order: all but some silent ones. */
    public List<Sample> trainedOn(List<Sample> samples) {
        return samples.stream()
                .filter(sample -> !sample.labelled() || sample.target() != null || keepsSilent(sample.id()))
                .toList();
    }

    /** Whether a silent sample stays; its id and the seed decide, so that a sample's fate does not hang on its neighbours. */
    boolean keepsSilent(String id) {
        return new SplittableRandom(seed * 1_000_003L + id.hashCode()).nextDouble() < silentShare;
    }

    PromptExamples.PromptCollector collector() {
        return new PromptExamples.PromptCollector("examples", "example", maxLength, overLong);
    }
}
