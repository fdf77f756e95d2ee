package dev.prpf.par.sets;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Draws the held-out records of a set in whole groups, so that no function and no request is in both parts. The draw depends on the groups
 * and on the order of records only.
 */
final class HeldOut {
    private final List<Integer> parents = new ArrayList<>();
    private final Map<String, Integer> firstByMark = new HashMap<>();

    /** Adds the next record to the groups of all records that share a mark with it. */
    void add(List<String> marks) {
        int record = parents.size();
        parents.add(record);
        for (String mark : marks) {
            Integer before = firstByMark.putIfAbsent(mark, record);
            if (before != null) {
                join(record, before);
            }
        }
    }

    private void join(int one, int other) {
        int first = root(one);
        int second = root(other);
        parents.set(Math.max(first, second), Math.min(first, second)); // so that a group's root is its first record
    }

    private int root(int record) {
        int at = record;
        while (parents.get(at) != at) {
            parents.set(at, parents.get(parents.get(at)));
            at = parents.get(at);
        }
        return at;
    }

    /**
     * Draws groups, in an order from the seed, until they reach the share.
     *
     * @param share of the records
     * @return the indices of the held-out records
     */
    BitSet draw(double share, long seed) {
        int[] sizes = new int[parents.size()];
        for (int i = 0; i < parents.size(); i++) {
            sizes[root(i)]++;
        }
        List<Integer> groups = new ArrayList<>();
        IntStream.range(0, sizes.length).filter(i -> sizes[i] > 0).forEach(groups::add);
        Collections.shuffle(groups, new Random(seed));
        BitSet drawn = new BitSet(parents.size());
        long held = 0;
        for (int group : groups) {
            if (held >= share * parents.size()) {
                break;
            }
            drawn.set(group);
            held += sizes[group];
        }
        BitSet records = new BitSet(parents.size());
        IntStream.range(0, parents.size()).filter(i -> drawn.get(root(i))).forEach(records::set);
        return records;
    }
}
