package dev.prpf.par.training;

import dev.prpf.par.sets.SftExample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which examples share a row: the longest first, each into the first row that has room for it.
 *
 * @param places one an example, in their order
 * @param rows in all
 */
record Packing(List<Place> places, int rows) {
    /**
     * Where an example stands.
     *
     * @param row from 0
     * @param offset of its first token in the row
     * @param number of the sequence in its row, from 1
     */
    record Place(int row, int offset, int number) {}

    /** @param width tokens a row has; the last token of an example needs no place */
    static Packing of(List<SftExample> examples, int width) {
        Place[] places = new Place[examples.size()];
        List<Integer> filled = new ArrayList<>();
        List<Integer> numbers = new ArrayList<>();
        List<Integer> order = IntStream.range(0, examples.size())
                .boxed()
                .sorted(Comparator.comparingInt((Integer i) -> -examples.get(i).length()))
                .toList();
        for (int i : order) {
            int length = examples.get(i).length() - 1;
            int row = 0;
            while (row < filled.size() && filled.get(row) + length > width) {
                row++;
            }
            if (row == filled.size()) {
                filled.add(0);
                numbers.add(0);
            }
            numbers.set(row, numbers.get(row) + 1);
            places[i] = new Place(row, filled.get(row), numbers.get(row));
            filled.set(row, filled.get(row) + length);
        }
        return new Packing(List.copyOf(Arrays.asList(places)), filled.size());
    }
}
