package dev.prpf.par.sets;

import dev.prpf.base.config.Rule;
import dev.prpf.data.Sample;
import dev.prpf.par.sets.CandidateSettings.OutOfPool;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the examples; the {@code examples:} section of {@code configs/reasoner-sft*.yaml}.
 *
 * @param shortlist number of scenarios of a candidate pool; null for the whole pool
 * @param outOfPool treatment of targets outside of the perceived scenarios
 * @param maxLength maximum tokens of an example
 * @param overLong treatment of longer examples; they are never truncated
 * @param silentShare share of the silent samples for training, in [0, 1]: silence is learned quickly and its prompts are the longest
 * @param seed of the selection of silent samples, the candidates and the augmentation
 * @param augmentation changes of the samples before every epoch
 */
public record SftExampleSettings(
        @Nullable Integer shortlist,
        OutOfPool outOfPool,
        int maxLength,
        OverLong overLong,
        double silentShare,
        long seed,
        Augmentation.Settings augmentation)
        implements CandidateSettings {
    /** Treatment of an over-long example. */
    public enum OverLong {
        /** It is an error, 65. */
        REFUSE,
        /** It is omitted and counted. */
        DROP
    }

    public SftExampleSettings {
        Rule.require(
                shortlist == null || shortlist > 0, "shortlist", shortlist, "at least 1, or null for the whole pool");
        Rule.require(maxLength > 1, "max-length", maxLength, "at least 2");
        Rule.require(silentShare >= 0 && silentShare <= 1, "silent-share", silentShare, "in [0, 1]");
    }

    /** Returns the training samples in order: all except some silent ones. */
    public List<Sample> trainedOn(List<Sample> samples) {
        return samples.stream()
                .filter(sample -> !sample.labelled() || sample.target() != null || keepsSilent(sample.id()))
                .toList();
    }

    /** Returns whether a silent sample is kept, which depends only on its id and the seed, not on other samples. */
    boolean keepsSilent(String id) {
        return new SplittableRandom(seed * 1_000_003L + id.hashCode()).nextDouble() < silentShare;
    }

    PromptExamples.PromptCollector collector() {
        return new PromptExamples.PromptCollector("examples", "example", maxLength, overLong);
    }
}
