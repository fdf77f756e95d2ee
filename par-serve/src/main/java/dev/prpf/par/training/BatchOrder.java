package dev.prpf.par.training;

import dev.prpf.par.sets.SftExample;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * The order and the batches of the examples: a function of the seed and the epoch. Examples of similar length share a batch, which saves padding. The
 * shuffled examples are sorted by length within windows of some batches, cut, and the batches shuffled. If examples share rows, they are not sorted.
 *
 * @param count number of examples
 * @param accumulation batches per optimizer step
 * @param window number of batches within which examples are sorted by length
 */
record BatchOrder(int count, int batchSize, int accumulation, long seed, int window) {
    private static final int WINDOW = 32;

    static BatchOrder of(SftConfig config, int count) {
        int accumulation = config.gradientAccumulationSteps();
        return new BatchOrder(count, config.batchSize(), accumulation, config.seed(), config.packing() ? 1 : WINDOW);
    }

    int steps() {
        int batches = (count + batchSize - 1) / batchSize;
        return (batches + accumulation - 1) / accumulation;
    }

    /**
     * Returns one epoch: a list of optimizer steps, each a list of accumulated batches.
     *
     * @param examples of this epoch, as many as in every other
     */
    List<List<List<SftExample>>> epoch(int epoch, List<SftExample> examples) {
        Random random = new Random(seed * 1_000_003L + epoch);
        List<SftExample> shuffled = new ArrayList<>(examples);
        Collections.shuffle(shuffled, random);
        List<List<SftExample>> batches = new ArrayList<>();
        for (int from = 0; from < shuffled.size(); from += batchSize * window) {
            List<SftExample> some = shuffled.subList(from, Math.min(shuffled.size(), from + batchSize * window));
            some.sort(Comparator.comparingInt(SftExample::length));
            batches.addAll(cut(some, batchSize));
        }
        Collections.shuffle(batches, random);
        return cut(batches, accumulation);
    }

    public static <T> List<List<T>> cut(List<T> list, int size) {
        List<List<T>> parts = new ArrayList<>();
        for (int from = 0; from < list.size(); from += size) {
            parts.add(List.copyOf(list.subList(from, Math.min(list.size(), from + size))));
        }
        return parts;
    }
}
