package dev.prpf.par.vision;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The tokens of an image in the order of its attention windows. Windows of equal size are adjacent, so that a group of them is computed at
 * once. Windows at the right and the lower edge may be smaller: there are at most four sizes.
 *
 * @param tokens the image's tokens, counted row by row
 * @param groups the windows by size
 */
record WindowOrder(int[] tokens, List<Group> groups) {
    /**
     * Windows of one size.
     *
     * @param size tokens of a window
     */
    record Group(int size, int count) {}

    /**
     * Orders the tokens of an image.
     *
     * @param rows tokens from top to bottom
     * @param columns tokens from left to right
     * @param side tokens along a side of a window; 0 for one window that holds the image
     */
    static WindowOrder of(int rows, int columns, int side) {
        if (side == 0) {
            int all = rows * columns;
            return new WindowOrder(IntStream.range(0, all).toArray(), List.of(new Group(all, 1)));
        }
        Map<Integer, List<int[]>> bySize = new LinkedHashMap<>();
        for (int top = 0; top < rows; top += side) {
            for (int left = 0; left < columns; left += side) {
                int[] window = window(top, Math.min(rows, top + side), left, Math.min(columns, left + side), columns);
                bySize.computeIfAbsent(window.length, size -> new ArrayList<>()).add(window);
            }
        }
        return new WindowOrder(
                bySize.values().stream()
                        .flatMap(List::stream)
                        .flatMapToInt(Arrays::stream)
                        .toArray(),
                bySize.entrySet().stream()
                        .map(windows ->
                                new Group(windows.getKey(), windows.getValue().size()))
                        .toList());
    }

    private static int[] window(int top, int bottom, int left, int right, int columns) {
        int width = right - left;
        return IntStream.range(0, (bottom - top) * width)
                .map(i -> (top + i / width) * columns + left + i % width)
                .toArray();
    }

    /** Counts the pairs of tokens that attend to each other. */
    double pairs() {
        return groups.stream()
                .mapToDouble(group -> (double) group.size() * group.size() * group.count())
                .sum();
    }
}
