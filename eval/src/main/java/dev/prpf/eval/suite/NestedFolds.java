package dev.prpf.eval.suite;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Who is held out of what. Each point is scored by a model that has not seen its fold. What is chosen for that score (a threshold, the
 * weights of a mixture) is chosen on inner scores: of points outside the fold's part, by models that have seen neither the point's inner
 * fold nor anything of the part. So no label of a part touches a decision on it. Points of one key never stand on both sides.
 *
 * @param size number of points
 * @param parts their folds hold every point once
 */
record NestedFolds(int size, List<Part> parts) {
    /**
     * Folds for which choices are made together.
     *
     * @param folds positions held out together, ascending; each fold is scored by a model trained on all other points
     * @param inner the points outside the part, as positions ascending, in the sets that are held out together in training for the choice
     */
    record Part(List<List<Integer>> folds, List<List<Integer>> inner) {
        Part {
            folds = folds.stream().map(NestedFolds::ascending).toList();
            inner = inner.stream().map(NestedFolds::ascending).toList();
        }

        /** Every position of the part, ascending. */
        List<Integer> positions() {
            return union(folds);
        }
    }

    NestedFolds {
        parts = List.copyOf(parts);
        List<Integer> everyone = IntStream.range(0, size).boxed().toList();
        List<Integer> held = new ArrayList<>();
        for (Part part : parts) {
            held.addAll(part.positions());
            List<Integer> both = new ArrayList<>(part.positions());
            both.addAll(union(part.inner()));
            requireSame(everyone, both, "a part and its inner folds");
        }
        requireSame(everyone, held, "the parts");
    }

    private static void requireSame(List<Integer> everyone, List<Integer> positions, String what) {
        if (!everyone.equals(ascending(positions))) {
            throw new IllegalArgumentException(what + " hold the positions " + ascending(positions) + ", must be 0 to "
                    + (everyone.size() - 1) + ", each once");
        }
    }

    /**
     * One fold a key. Keys go in parts, in order of first appearance; a part's inner folds are the other parts.
     *
     * @param keys one a point
     * @param parts at most this many, at least 3: with two, inner models would have nothing to learn from
     */
    static NestedFolds leaveOneOut(List<String> keys, int parts) {
        List<List<Integer>> folds =
                List.copyOf(DecisionPoint.positionsByKey(keys).values());
        int count = Math.min(parts, folds.size());
        if (count < 3) {
            throw new IllegalArgumentException(
                    "keys = " + folds.size() + ", parts = " + parts + ": at least 3 of both are needed");
        }
        List<List<List<Integer>>> dealt = IntStream.range(0, count)
                .mapToObj(p -> folds.subList(p * folds.size() / count, (p + 1) * folds.size() / count))
                .toList();
        return new NestedFolds(
                keys.size(),
                dealt.stream()
                        .map(part -> new Part(
                                part,
                                dealt.stream()
                                        .filter(other -> other != part)
                                        .map(NestedFolds::union)
                                        .toList()))
                        .toList());
    }

    /** K folds, points of one key in the same; each fold is a part, its inner folds are the other folds. */
    static NestedFolds grouped(List<String> keys, int folds, long seed) {
        String[] foldOf = new String[keys.size()];
        List<List<Integer>> dealt =
                deal(keys, IntStream.range(0, keys.size()).boxed().toList(), folds, seed);
        for (int fold = 0; fold < dealt.size(); fold++) {
            for (int position : dealt.get(fold)) {
                foldOf[position] = "fold " + fold;
            }
        }
        return leaveOneOut(List.of(foldOf), folds);
    }

    /**
     * One fold and part a key, for as few as two keys: the points of the other keys are dealt to inner folds of their own.
     *
     * @param innerKeys one a point; points of the same inner key are never on both sides of an inner split
     */
    static NestedFolds leaveOneOut(List<String> keys, List<String> innerKeys, int innerFolds, long seed) {
        List<Integer> everyone = IntStream.range(0, keys.size()).boxed().toList();
        List<Part> parts = new ArrayList<>();
        for (List<Integer> held : DecisionPoint.positionsByKey(keys).values()) {
            List<Integer> rest = new ArrayList<>(everyone);
            rest.removeAll(held);
            parts.add(new Part(List.of(held), deal(innerKeys, rest, innerFolds, seed)));
        }
        return new NestedFolds(keys.size(), parts);
    }

    /** Deals the positions, those of a key together, the largest keys first and each to the fold that is smallest so far. */
    private static List<List<Integer>> deal(List<String> keys, List<Integer> positions, int folds, long seed) {
        List<List<Integer>> groups = new ArrayList<>();
        DecisionPoint.positionsByKey(positions.stream().map(keys::get).toList())
                .values()
                .forEach(
                        places -> groups.add(places.stream().map(positions::get).toList()));
        if (groups.size() < folds || folds < 2) {
            throw new IllegalArgumentException("keys = " + groups.size() + ", folds = " + folds
                    + ": at least 2 folds and a key for each are needed");
        }
        Collections.shuffle(groups, new Random(seed));
        groups.sort((a, b) -> Integer.compare(b.size(), a.size())); // stable: equal sizes stay shuffled
        List<List<Integer>> dealt = new ArrayList<>();
        IntStream.range(0, folds).forEach(fold -> dealt.add(new ArrayList<>()));
        for (List<Integer> group : groups) {
            dealt.stream()
                    .min((a, b) -> Integer.compare(a.size(), b.size()))
                    .orElseThrow()
                    .addAll(group);
        }
        return dealt;
    }

    private static List<Integer> union(Collection<List<Integer>> sets) {
        return sets.stream().flatMap(List::stream).sorted().toList();
    }

    private static List<Integer> ascending(List<Integer> positions) {
        return positions.stream().sorted().toList();
    }
}
