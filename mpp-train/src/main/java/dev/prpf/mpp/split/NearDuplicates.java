package dev.prpf.mpp.split;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Groups samples that say almost the same: two are joined if of each of their fields the sets of terms overlap by 0.8 or more (Jaccard;
 * two empty fields are alike), and groups are joined through them. Models that see one of a group while they are judged on another look
 * better than they are.
 */
public final class NearDuplicates {
    private static final double OVERLAP = 0.8;

    private final List<List<Set<String>>> samples;
    private final int[] groups;

    private NearDuplicates(List<List<Set<String>>> samples) {
        this.samples = samples;
        groups = IntStream.range(0, samples.size()).toArray();
    }

    /**
     * The group of each sample: the position of its first member.
     *
     * @param samples the terms of each field of each sample, as many fields in all
     */
    public static List<Integer> groups(List<List<Set<String>>> samples) {
        NearDuplicates duplicates = new NearDuplicates(samples);
        duplicates.join();
        return IntStream.range(0, samples.size()).map(duplicates::first).boxed().toList();
    }

    /**
     * Compares the samples that share one of their rarest terms. Fields that overlap by t give whole samples that do, and sets that overlap
     * by t share a term among the first n - ceil(t n) + 1 of their n, whatever the order of terms (Bayardo et al., WWW 2007).
     */
    private void join() {
        List<Set<String>> whole = samples.stream().map(NearDuplicates::terms).toList();
        Map<String, Integer> counts = new HashMap<>();
        whole.forEach(terms -> terms.forEach(term -> counts.merge(term, 1, Integer::sum)));
        Comparator<String> rarest = Comparator.<String>comparingInt(term -> counts.getOrDefault(term, 0))
                .thenComparing(Comparator.naturalOrder());
        Map<String, List<Integer>> seen = new HashMap<>();
        for (int i = 0; i < groups.length; i++) {
            int size = whole.get(i).size();
            long compared = size - (long) Math.ceil(OVERLAP * size - 1e-9) + 1;
            List<String> terms =
                    whole.get(i).stream().sorted(rarest).limit(compared).toList();
            Set<Integer> candidates = new TreeSet<>(); // each is compared once, however many rare terms it shares
            for (String term : terms) {
                List<Integer> others = seen.computeIfAbsent(term, unseen -> new ArrayList<>());
                candidates.addAll(others);
                others.add(i);
            }
            for (int other : candidates) {
                joinIfAlike(i, other);
            }
        }
    }

    /** All terms of a sample, each marked with its field; of a sample that says nothing one mark. */
    private static Set<String> terms(List<Set<String>> fields) {
        Set<String> all = IntStream.range(0, fields.size())
                .boxed()
                .flatMap(field -> fields.get(field).stream().map(term -> field + " " + term))
                .collect(Collectors.toCollection(HashSet::new));
        return all.isEmpty() ? Set.of("") : all;
    }

    private void joinIfAlike(int a, int b) {
        int first = Math.min(first(a), first(b));
        int second = Math.max(first(a), first(b));
        if (first != second
                && IntStream.range(0, samples.get(a).size())
                        .allMatch(field ->
                                alike(samples.get(a).get(field), samples.get(b).get(field)))) {
            groups[second] = first;
        }
    }

    private int first(int sample) {
        int at = sample;
        while (groups[at] != at) {
            groups[at] = groups[groups[at]];
            at = groups[at];
        }
        return at;
    }

    private static boolean alike(Set<String> a, Set<String> b) {
        if (Math.min(a.size(), b.size()) < OVERLAP * Math.max(a.size(), b.size())) {
            return false; // cannot overlap that much
        }
        long shared = a.stream().filter(b::contains).count();
        return shared >= OVERLAP * (a.size() + b.size() - shared);
    }
}
