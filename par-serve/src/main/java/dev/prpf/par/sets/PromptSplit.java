package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidDataException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Prompts to train on and held out.
 *
 * @param train at least one; one may stand there several times
 * @param dev none of which is trained on
 */
public record PromptSplit(List<PromptExample> train, List<PromptExample> dev) {
    public PromptSplit {
        train = List.copyOf(train);
        dev = List.copyOf(dev);
        if (train.isEmpty()) {
            throw new InvalidDataException("no prompt is left to train on; " + dev.size()
                    + " are held out; lower training.dev-share, or give more prompts");
        }
    }

    /**
     * Holds out a share, of silent prompts and of the others apart. Copies of a prompt stay together; the held-out ones lose theirs.
     *
     * @param prompts in some order, repeats included
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

    /** The prompts of a pass, in an order of its own, cut into steps whose sizes differ by one at most: a step of few is all noise. */
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

    /** Steps of a pass. */
    public int steps(int promptsPerStep) {
        return (train.size() + promptsPerStep - 1) / promptsPerStep;
    }

    /** Tokens of the longest prompt of both. */
    public int longest() {
        return Math.max(PromptExample.longest(train), PromptExample.longest(dev));
    }
}
