package dev.prpf.par.sets;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Which prompts are rolled out; the {@code prompts:} section of {@code configs/data-rollouts*.yaml}.
 *
 * @param topK scenarios a candidate pool holds; null for the whole pool, where prompts are made of samples
 * @param outOfPool what happens where the functions of the first valid answer are not in the perceived scenarios
 * @param maxLength tokens a prompt may have
 * @param overLong what happens to a longer one
 * @param limit samples at most, drawn by the seed; null for all
 * @param seed of that draw and of the candidates
 */
public record RolloutPromptSettings(
        @Nullable Integer topK,
        OutOfPool outOfPool,
        int maxLength,
        SftExampleSettings.OverLong overLong,
        @Nullable Integer limit,
        long seed)
        implements CandidateSettings {
    public RolloutPromptSettings {
        Rule.require(topK == null || topK > 0, "top-k", topK, "at least 1, or null for the whole pool");
        Rule.require(maxLength > 0, "max-length", maxLength, "at least 1");
        Rule.require(limit == null || limit > 0, "limit", limit, "at least 1");
    }

    PromptExamples.PromptCollector collector() {
        return new PromptExamples.PromptCollector("prompts", "prompt", maxLength, overLong);
    }

    /**
     * The prompts that are short enough.
     *
     * @throws PrpfException 65 for an over-long one that must not be left out
     */
    public List<PromptExample> fitting(List<PromptExample> prompts) {
        PromptExamples.PromptCollector collector = collector();
        return prompts.stream()
                .filter(prompt -> collector.take(prompt, prompt.ids().length))
                .toList();
    }

    /** At most {@code limit} of them, in their order. */
    public <T> List<T> drawn(List<T> all) {
        if (limit == null || all.size() <= limit) {
            return all;
        }
        List<Integer> places =
                new ArrayList<>(IntStream.range(0, all.size()).boxed().toList());
        Collections.shuffle(places, new Random(seed));
        return places.stream().limit(limit).sorted().map(all::get).toList();
    }
}
