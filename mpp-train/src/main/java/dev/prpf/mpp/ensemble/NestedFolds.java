package dev.prpf.mpp.ensemble;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Folds for nested cross-validation. Each point is scored by a model that has not seen its fold. A choice for that score (a threshold,
 * ensemble weights) uses inner scores. Inner scores are of points outside the fold's outer split, by models that saw neither the point's
 * inner fold nor the split. So no label of a split influences a decision on it. Points with the same key are never on both sides.
 *
 * @param size number of points
 * @param splits outer splits; their folds hold every point once
 */
public record NestedFolds(int size, List<OuterSplit> splits) {
    /**
     * Folds that share one choice.
     *
     * @param folds positions held out together, ascending; each fold is scored by a model trained on all other points
     * @param inner positions of the points outside the split, ascending, grouped into inner folds
     */
    public record OuterSplit(List<List<Integer>> folds, List<List<Integer>> inner) {
        public OuterSplit {
            folds = folds.stream().map(fold -> fold.stream().sorted().toList()).toList();
            inner = inner.stream().map(fold -> fold.stream().sorted().toList()).toList();
        }

        /** Returns the positions in the split, ascending. */
        public List<Integer> held() {
            return union(folds);
        }

        /** Returns the positions outside the split, ascending. */
        public List<Integer> outside() {
            return union(inner);
        }

        /** Returns the positions held out of the models that score an inner fold, ascending. */
        public List<Integer> heldWith(List<Integer> innerFold) {
            return union(List.of(held(), innerFold));
        }
    }

    public NestedFolds {
        splits = List.copyOf(splits);
        for (OuterSplit split : splits) {
            requireEach(size, union(List.of(split.held(), split.outside())), "an outer split and its inner folds");
        }
        requireEach(size, union(splits.stream().map(OuterSplit::held).toList()), "the outer splits");
    }

    private static void requireEach(int size, List<Integer> positions, String what) {
        if (!IntStream.range(0, size).boxed().toList().equals(positions)) {
            throw new IllegalArgumentException(
                    what + " hold the positions " + positions + ", must be 0 to " + (size - 1) + ", each once");
        }
    }

    /**
     * Makes one fold for each key. Outer splits take keys in order of first appearance; the inner folds of a split are the other splits.
     *
     * @param keys one for each point
     * @param splits maximum number of splits, at least 3: with two, inner models would have no training data
     */
    public static NestedFolds leaveOneOut(List<String> keys, int splits) {
        List<List<Integer>> folds = List.copyOf(positionsByKey(keys).values());
        int count = Math.min(splits, folds.size());
        if (count < 3) {
            throw new IllegalArgumentException(
                    "keys = " + folds.size() + ", splits = " + splits + ": at least 3 of both are needed");
        }
        return of(
                keys.size(),
                IntStream.range(0, count)
                        .mapToObj(p -> folds.subList(p * folds.size() / count, (p + 1) * folds.size() / count))
                        .toList());
    }

    /** Makes K folds with equal keys in the same fold. Each fold is an outer split; its inner folds are the other folds. */
    public static NestedFolds grouped(List<String> keys, int folds, long seed) {
        List<List<Integer>> assigned =
                assign(keys, IntStream.range(0, keys.size()).boxed().toList(), folds, seed);
        assigned.sort(Comparator.comparing(Collections::min));
        return of(keys.size(), assigned.stream().map(List::of).toList());
    }

    private static NestedFolds of(int size, List<List<List<Integer>>> splits) {
        return new NestedFolds(
                size,
                splits.stream()
                        .map(split -> new OuterSplit(
                                split,
                                splits.stream()
                                        .filter(other -> other != split)
                                        .map(NestedFolds::union)
                                        .toList()))
                        .toList());
    }

    /**
     * Makes one fold and outer split for each key, for two or more keys; assigns the points of the other keys to inner folds.
     *
     * @param innerKeys one for each point; points with the same inner key are never on both sides of an inner split
     */
    public static NestedFolds leaveOneOut(List<String> keys, List<String> innerKeys, int innerFolds, long seed) {
        List<OuterSplit> splits = new ArrayList<>();
        for (List<Integer> held : positionsByKey(keys).values()) {
            List<Integer> rest =
                    new ArrayList<>(IntStream.range(0, keys.size()).boxed().toList());
            rest.removeAll(held);
            splits.add(new OuterSplit(List.of(held), assign(innerKeys, rest, innerFolds, seed)));
        }
        return new NestedFolds(keys.size(), splits);
    }

    /** Assigns positions to folds by key, the largest key first, each to the smallest fold so far. */
    private static List<List<Integer>> assign(List<String> keys, List<Integer> positions, int folds, long seed) {
        List<List<Integer>> groups = new ArrayList<>();
        positionsByKey(positions.stream().map(keys::get).toList())
                .values()
                .forEach(
                        places -> groups.add(places.stream().map(positions::get).toList()));
        if (groups.size() < folds || folds < 2) {
            throw new IllegalArgumentException("keys = " + groups.size() + ", folds = " + folds
                    + ": at least 2 folds and a key for each are needed");
        }
        Collections.shuffle(groups, new Random(seed));
        groups.sort(Comparator.<List<Integer>>comparingInt(List::size).reversed()); // stable: equal sizes stay shuffled
        List<List<Integer>> assigned = new ArrayList<>(
                Stream.generate(() -> new ArrayList<Integer>()).limit(folds).toList());
        for (List<Integer> group : groups) {
            Collections.min(assigned, Comparator.comparingInt(List::size)).addAll(group);
        }
        return assigned;
    }

    /** Returns the positions of each key, in order of first appearance. */
    public static Map<String, List<Integer>> positionsByKey(List<String> keys) {
        return IntStream.range(0, keys.size())
                .boxed()
                .collect(Collectors.groupingBy(keys::get, LinkedHashMap::new, Collectors.toList()));
    }

    private static List<Integer> union(Collection<List<Integer>> sets) {
        return sets.stream().flatMap(List::stream).sorted().toList();
    }
}
