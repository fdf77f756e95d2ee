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
 * @param left how many were longer than allowed
 */
record SftSplit(List<SftExample> train, List<SftExample> dev, int left) {
    static SftSplit of(List<SftExample> examples, int maxLength, double devShare, long seed) {
        List<SftExample> fitting = new ArrayList<>(
                examples.stream().filter(e -> e.length() <= maxLength).toList());
        int left = examples.size() - fitting.size();
        Collections.shuffle(fitting, new Random(seed));
        int held = (int) Math.round(fitting.size() * devShare);
        List<SftExample> dev = new ArrayList<>(fitting.subList(0, held));
        dev.sort(Comparator.comparingInt(SftExample::length));
        List<SftExample> train = List.copyOf(fitting.subList(held, fitting.size()));
        if (train.isEmpty()) {
            throw PrpfException.badData("of " + examples.size() + " examples none is left to train on: " + left
                    + " are longer than max-length = " + maxLength + " tokens, " + held + " are held out");
        }
        return new SftSplit(train, List.copyOf(dev), left);
    }
}
