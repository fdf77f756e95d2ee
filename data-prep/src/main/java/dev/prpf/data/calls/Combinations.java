package dev.prpf.data.calls;

import java.util.List;
import java.util.stream.Stream;

/** Ways to take one element of each list. */
final class Combinations {
    private Combinations() {}

    /**
     * The combinations, the first list's elements turning slowest.
     *
     * @param most combinations that are of use
     * @return {@code most + 1} where there are more; one, the empty one, of no lists
     */
    static <T> List<List<T>> of(List<List<T>> lists, int most) {
        List<List<T>> combinations = List.of(List.of());
        for (List<T> list : lists) {
            combinations = combinations.stream()
                    .flatMap(taken -> list.stream().map(next -> Stream.concat(taken.stream(), Stream.of(next))
                            .toList()))
                    .limit(most + 1L)
                    .toList();
        }
        return combinations;
    }
}
