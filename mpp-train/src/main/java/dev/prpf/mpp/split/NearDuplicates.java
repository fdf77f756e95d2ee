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
 * Groups near-duplicate samples: two are joined if each field's term sets have a Jaccard index of at least 0.8 (empty fields are equal).
 * Groups are the transitive closure. A model trained on one sample of a group and evaluated on another would look too good.
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
     * Returns the group of each sample, by the position of its first member.
     *
     * @param samples the terms of each field of each sample; all samples have equally many fields
     */
    public static List<Integer> groups(List<List<Set<String>>> samples) {
        NearDuplicates duplicates = new NearDuplicates(samples);
        duplicates.join();
        return IntStream.range(0, samples.size()).map(duplicates::first).boxed().toList();
    }

    /**
     * Compares samples that share one of their rarest terms. If all fields overlap by t, so do the whole samples. Sets of n terms that
     * overlap by t share one of the first n - ceil(t n) + 1 in any order (Bayardo et al., WWW 2007).
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
            Set<Integer> candidates = new TreeSet<>(); // a set, so that each is compared once
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

    /** Returns all terms of a sample, prefixed with their field; one empty term if the sample is blank. */
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
            return false; // too different in size
        }
        long shared = a.stream().filter(b::contains).count();
        return shared >= OVERLAP * (a.size() + b.size() - shared);
    }
}
