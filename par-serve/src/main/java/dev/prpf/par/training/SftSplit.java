package dev.prpf.par.training;

import dev.prpf.data.run.PrpfException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * Examples to train on and held out.
 *
 * @param train at least one
 * @param dev sorted by length, so that batches of it carry little padding
 */
record SftSplit(List<SftExample> train, List<SftExample> dev) {
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
        List<SftExample> shuffled = new ArrayList<>(examples);
        Collections.shuffle(shuffled, new Random(seed));
        int held = (int) Math.round(shuffled.size() * devShare);
        List<SftExample> dev = new ArrayList<>(shuffled.subList(0, held));
        dev.sort(Comparator.comparingInt(SftExample::length));
        List<SftExample> train = List.copyOf(shuffled.subList(held, shuffled.size()));
        if (train.isEmpty()) {
            throw PrpfException.badData(
                    "of " + examples.size() + " examples none is left to train on: " + held + " are held out");
        }
        return new SftSplit(train, List.copyOf(dev));
    }
}
