package dev.prpf.mpp.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NestedFoldsTest {
    private static Set<String> at(List<String> keys, List<Integer> positions) {
        Set<String> found = new HashSet<>();
        positions.forEach(i -> found.add(keys.get(i)));
        return found;
    }

    /** Checks that no key is both in a fold and outside it, at either level. */
    private static void assertApart(NestedFolds folds, List<String> keys) {
        List<Integer> everyone = IntStream.range(0, keys.size()).boxed().toList();
        for (NestedFolds.OuterSplit split : folds.splits()) {
            List<List<Integer>> sets = new ArrayList<>(split.folds());
            sets.addAll(split.inner());
            for (List<Integer> set : sets) {
                List<Integer> rest = new ArrayList<>(everyone);
                rest.removeAll(set);
                assertThat(at(keys, set)).isNotEmpty().doesNotContainAnyElementsOf(at(keys, rest));
            }
        }
    }

    @Test
    void duplicatesNeverStraddleAFold() {
        Random random = new Random(4);
        List<String> keys = IntStream.range(0, 200)
                .mapToObj(i -> "record " + random.nextInt(120))
                .toList();

        NestedFolds folds = NestedFolds.grouped(keys, 5, 42);

        assertThat(folds.splits()).hasSize(5);
        assertApart(folds, keys);
        assertThat(folds.splits()).allSatisfy(split -> assertThat(split.held()).hasSizeBetween(38, 42));
        assertThat(folds).isEqualTo(NestedFolds.grouped(keys, 5, 42)).isNotEqualTo(NestedFolds.grouped(keys, 5, 43));
    }

    @Test
    void eachTraceIsAFoldAndSplitsHoldWholeTraces() {
        List<String> keys =
                IntStream.range(0, 36).mapToObj(i -> "trace " + i / 3).toList();

        NestedFolds folds = NestedFolds.leaveOneOut(keys, 6);

        assertThat(folds.splits()).hasSize(6).allSatisfy(split -> {
            assertThat(split.folds()).hasSize(2);
            assertThat(split.inner()).hasSize(5);
        });
        assertApart(folds, keys);
    }

    @Test
    void twoPersonasHaveInnerFoldsOfTheirOwnByRoutine() {
        List<String> personas = new ArrayList<>();
        List<String> routines = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            personas.add(i < 20 ? "a" : "b");
            routines.add(personas.get(i) + i % 7);
        }

        NestedFolds folds = NestedFolds.leaveOneOut(personas, routines, 5, 42);

        assertThat(folds.splits()).hasSize(2);
        assertThat(at(personas, folds.splits().get(0).held())).containsExactly("a");
        assertThat(folds.splits().get(0).inner()).hasSize(5).allSatisfy(inner -> assertThat(at(personas, inner))
                .containsExactly("b"));
        assertApart(folds, routines);
    }

    @Test
    void foldsMustHoldEachPointOnce() {
        NestedFolds.OuterSplit first = new NestedFolds.OuterSplit(List.of(List.of(0)), List.of(List.of(1)));
        NestedFolds.OuterSplit second = new NestedFolds.OuterSplit(List.of(List.of(1)), List.of(List.of(0)));

        assertThat(new NestedFolds(2, List.of(first, second)).splits()).hasSize(2);
        assertThatThrownBy(() -> new NestedFolds(2, List.of(first))).hasMessageContaining("the outer splits hold");
        assertThatThrownBy(() -> new NestedFolds(3, List.of(first, second)))
                .hasMessageContaining("an outer split and its inner folds hold the positions [0, 1], must be 0 to 2");
        assertThatThrownBy(() -> NestedFolds.leaveOneOut(List.of("a", "b"), 6)).hasMessageContaining("at least 3");
        assertThatThrownBy(() -> NestedFolds.grouped(List.of("a", "a", "b"), 3, 1))
                .hasMessageContaining("keys = 2, folds = 3");
    }
}
