package dev.prpf.par.augment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Leaves out steps of the trajectory and sentences of the context that hold nothing which the target copies. */
final class DistractorDropout {
    private static final Pattern SENTENCE_END = Pattern.compile("(?<=[。！？；!?;])|(?<=\\. )");

    private DistractorDropout() {}

    /** @param share of what holds no copied value, in [0, 1]; a trajectory keeps its last step at least */
    static TextSample apply(TextSample sample, double share, RandomGenerator random) {
        Set<String> copied = sample.copied().keySet();
        List<String> steps = sample.steps();
        List<String> kept = new ArrayList<>(keep(steps, copied, share, random));
        if (kept.isEmpty() && !steps.isEmpty()) {
            kept.add(steps.get(steps.size() - 1));
        }
        return sample.with(kept, text -> sentences(text, copied, share, random));
    }

    private static String sentences(String text, Set<String> copied, double share, RandomGenerator random) {
        return keep(Arrays.asList(SENTENCE_END.split(text)), copied, share, random).stream()
                .collect(Collectors.joining());
    }

    private static List<String> keep(List<String> parts, Set<String> copied, double share, RandomGenerator random) {
        return parts.stream()
                .filter(part -> random.nextDouble() >= share || copied.stream().anyMatch(part::contains))
                .toList();
    }
}
