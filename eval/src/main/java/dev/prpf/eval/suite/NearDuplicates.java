package dev.prpf.eval.suite;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Groups texts that say almost the same: two are joined if their sets of words overlap by 0.8 or more (Jaccard), and groups are joined through them. */
final class NearDuplicates {
    private static final double OVERLAP = 0.8;

    private NearDuplicates() {}

    /** The group of each text: the position of its first member. */
    static List<Integer> groups(List<String> texts) {
        List<Set<String>> words = texts.stream().map(NearDuplicates::words).toList();
        int[] groups = IntStream.range(0, texts.size()).toArray();
        for (int i = 0; i < groups.length; i++) {
            for (int j = 0; j < i; j++) {
                if (groups[i] != groups[j] && alike(words.get(i), words.get(j))) {
                    join(groups, groups[i], groups[j]);
                }
            }
        }
        return IntStream.of(groups).boxed().toList();
    }

    private static void join(int[] groups, int a, int b) {
        for (int k = 0; k < groups.length; k++) {
            groups[k] = groups[k] == a || groups[k] == b ? Math.min(a, b) : groups[k];
        }
    }

    private static boolean alike(Set<String> a, Set<String> b) {
        if (Math.min(a.size(), b.size()) < OVERLAP * Math.max(a.size(), b.size())) {
            return false; // cannot overlap that much
        }
        long shared = a.stream().filter(b::contains).count();
        return shared >= OVERLAP * (a.size() + b.size() - shared);
    }

    private static Set<String> words(String text) {
        return List.of(text.toLowerCase(Locale.ROOT).split("[^\\p{L}\\p{N}]+")).stream()
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toCollection(HashSet::new));
    }
}
