package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidDataException;
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
 * @param topK scenarios a candidate pool holds, where prompts are made of samples
 * @param outOfPool what happens where the functions of the first valid answer are not in the perceived scenarios
 * @param maxLength tokens a prompt may have
 * @param overLong what happens to a longer one
 * @param limit samples at most, drawn by the seed; null for all
 * @param seed of that draw, and of the scenarios that stand beside the gold ones where no perceiver ran
 */
public record RolloutPromptSettings(
        int topK,
        OutOfPool outOfPool,
        int maxLength,
        SftExampleSettings.OverLong overLong,
        @Nullable Integer limit,
        long seed) {
    public RolloutPromptSettings {
        require(topK > 0, "top-k", topK);
        require(maxLength > 0, "max-length", maxLength);
        require(limit == null || limit > 0, "limit", limit);
    }

    private static void require(boolean holds, String key, @Nullable Integer value) {
        if (!holds) {
            throw new IllegalArgumentException(key + " = " + value + " must be at least 1");
        }
    }

    /**
     * Whether a prompt is short enough.
     *
     * @param length its tokens
     * @throws PrpfException 65 for one that is not and must not be left out
     */
    boolean takes(String id, int length) {
        if (length <= maxLength) {
            return true;
        }
        if (overLong != SftExampleSettings.OverLong.DROP) {
            throw new InvalidDataException("sample " + id + ": its prompt has " + length
                    + " tokens, prompts.max-length = " + maxLength + "; raise it, or set prompts.over-long to drop");
        }
        return false;
    }

    /** Those of a set that are short enough; throws as {@link #takes}. */
    public List<PromptExample> fitting(List<PromptExample> prompts) {
        return prompts.stream()
                .filter(prompt -> takes(prompt.id(), prompt.ids().length))
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
