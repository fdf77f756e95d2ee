package dev.prpf.par.sets;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings.OutOfPool;
import dev.prpf.par.sets.SftExamples.SftExampleSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Selection of prompts for rollouts; the {@code prompts:} section of {@code configs/data-rollout-set*.yaml}.
 *
 * @param shortlist number of scenarios of a candidate pool for prompts from samples; null for the whole pool
 * @param outOfPool treatment of first valid answers outside of the perceived scenarios
 * @param maxLength maximum tokens of a prompt
 * @param overLong treatment of longer prompts
 * @param limit maximum number of samples, drawn by the seed; null for all
 * @param seed of that draw and of the candidates
 */
public record RolloutPromptSettings(
        @Nullable Integer shortlist,
        OutOfPool outOfPool,
        int maxLength,
        SftExampleSettings.OverLong overLong,
        @Nullable Integer limit,
        long seed)
        implements CandidateSettings {
    public RolloutPromptSettings {
        Rule.require(
                shortlist == null || shortlist > 0, "shortlist", shortlist, "at least 1, or null for the whole pool");
        Rule.require(maxLength > 0, "max-length", maxLength, "at least 1");
        Rule.require(limit == null || limit > 0, "limit", limit, "at least 1");
    }

    PromptExamples.PromptCollector collector() {
        return new PromptExamples.PromptCollector("prompts", "prompt", maxLength, overLong);
    }

    /**
     * Returns the prompts that are not over-long.
     *
     * @throws PrpfException 65 for an over-long prompt that must not be omitted
     */
    public List<PromptExample> fitting(List<PromptExample> prompts) {
        PromptExamples.PromptCollector collector = collector();
        return prompts.stream()
                .filter(prompt -> collector.take(prompt, prompt.ids().length))
                .toList();
    }

    /** Draws at most {@code limit} elements, in order. */
    public <T> List<T> drawn(List<T> all) {
        if (limit == null || all.size() <= limit) {
            return all;
        }
        List<Integer> indices =
                new ArrayList<>(IntStream.range(0, all.size()).boxed().toList());
        Collections.shuffle(indices, new Random(seed));
        return indices.stream().limit(limit).sorted().map(all::get).toList();
    }
}
