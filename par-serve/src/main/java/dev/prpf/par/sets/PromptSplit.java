package dev.prpf.par.sets;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Splits prompts into training and held-out ones.
 *
 * @param train at least one; duplicates are allowed
 * @param dev held-out prompts
 */
public record PromptSplit(List<PromptExample> train, List<PromptExample> dev) {
    public PromptSplit {
        train = List.copyOf(train);
        dev = List.copyOf(dev);
        if (train.isEmpty()) {
            throw new InvalidDataException("no prompt is left for training; " + dev.size()
                    + " are held out; lower training.dev-share, or give more prompts");
        }
    }

    /**
     * Holds out a share of the silent prompts and of the others. Copies of a prompt stay together; copies of held-out prompts are removed.
     *
     * @param prompts in any order, including duplicates
     * @param share in [0, 0.5]
     */
    public static PromptSplit split(List<PromptExample> prompts, double share, long seed) {
        Set<String> held = new HashSet<>(held(prompts, true, share, seed));
        held.addAll(held(prompts, false, share, seed));
        List<PromptExample> train =
                prompts.stream().filter(prompt -> !held.contains(prompt.id())).toList();
        Map<String, PromptExample> dev = new LinkedHashMap<>();
        prompts.stream().filter(prompt -> held.contains(prompt.id())).forEach(prompt -> dev.put(prompt.id(), prompt));
        return new PromptSplit(train, List.copyOf(dev.values()));
    }

    private static List<String> held(List<PromptExample> prompts, boolean intervention, double share, long seed) {
        List<String> ids = new ArrayList<>(prompts.stream()
                .filter(prompt -> prompt.intervention() == intervention)
                .map(PromptExample::id)
                .distinct()
                .sorted()
                .toList());
        Collections.shuffle(ids, new Random(seed));
        return ids.subList(0, (int) Math.round(ids.size() * share));
    }

    /**
     * Shuffles the prompts of an epoch and divides them into steps. Step sizes differ by at most one, since very small steps have noisy
     * gradients.
     */
    public List<List<PromptExample>> epoch(int epoch, int promptsPerStep, long seed) {
        List<PromptExample> shuffled = new ArrayList<>(train);
        Collections.shuffle(shuffled, new Random(seed * 1_000_003L + epoch));
        int steps = steps(promptsPerStep);
        List<List<PromptExample>> parts = new ArrayList<>();
        for (int i = 0; i < steps; i++) {
            parts.add(List.copyOf(shuffled.subList(begin(i, steps), begin(i + 1, steps))));
        }
        return parts;
    }

    private int begin(int step, int steps) {
        return (int) ((long) train.size() * step / steps);
    }

    public int steps(int promptsPerStep) {
        return (train.size() + promptsPerStep - 1) / promptsPerStep;
    }

    /** Returns the number of tokens of the longest prompt in both sets. */
    public int longest() {
        return Math.max(PromptExample.longest(train), PromptExample.longest(dev));
    }
}
