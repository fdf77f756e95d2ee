package dev.prpf.par.training;

import dev.prpf.data.run.PrpfException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Examples to train on and held out.
 *
 * @param train places of at least one
 * @param devPlaces places of the held-out ones, in their order
 * @param dev sorted by length, so that batches of it carry little padding
 */
record SftSplit(List<Integer> train, List<Integer> devPlaces, List<SftExample> dev) {
    /**
     * Holds out a share.
     *
     * @param maxPositions what the model takes; a longer example is refused
     */
    static SftSplit of(List<SftExample> examples, int maxPositions, double devShare, long seed) {
        int longest = examples.stream().mapToInt(SftExample::length).max().orElse(0);
        if (longest > maxPositions) {
            throw PrpfException.badData("the longest example has " + longest + " tokens, the model takes "
                    + maxPositions + "; set examples.max-length to that or use a model of more positions");
        }
        List<Integer> shuffled =
                new ArrayList<>(IntStream.range(0, examples.size()).boxed().toList());
        Collections.shuffle(shuffled, new Random(seed));
        int held = (int) Math.round(shuffled.size() * devShare);
        List<Integer> dev = new ArrayList<>(shuffled.subList(0, held));
        dev.sort(Comparator.comparingInt(place -> examples.get(place).length()));
        List<Integer> train = List.copyOf(shuffled.subList(held, shuffled.size()));
        if (train.isEmpty()) {
            throw PrpfException.badData(
                    "of " + examples.size() + " examples none is left to train on: " + held + " are held out");
        }
        return new SftSplit(
                train, List.copyOf(dev), dev.stream().map(examples::get).toList());
    }

    /** @param examples all of them, in some form */
    List<SftExample> train(List<SftExample> examples) {
        return train.stream().map(examples::get).toList();
    }
}
