package dev.prpf.par.sets;

import dev.prpf.data.FunctionSpec;
import dev.prpf.data.calls.CallRecord;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Draws held-out records in whole groups, so that no function and no request is on both sides. Memory holds a few numbers per record. The
 * draw depends on the groups and on the order of records, not on the order of the joins.
 */
public final class HeldOut {
    private final int[] parents;

    /** @param records number of records; each is its own group until joined */
    public HeldOut(int records) {
        parents = IntStream.range(0, records).toArray();
    }

    /** Returns the marks that records of one group share. */
    public static List<String> marks(CallRecord record) {
        List<String> marks = new ArrayList<>(
                record.functions().stream().map(FunctionSpec::name).toList());
        marks.add("\n" + String.join("\n", record.requests()).toLowerCase(Locale.ROOT));
        return marks;
    }

    /** Joins the groups of the records with these indices. */
    public void join(int one, int other) {
        int first = root(one);
        int second = root(other);
        parents[Math.max(first, second)] = Math.min(first, second); // so that a group's root is its first record
    }

    private int root(int record) {
        int at = record;
        while (parents[at] != at) {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        return at;
    }

    /**
     * Draws groups, in an order from the seed, until they reach the share.
     *
     * @param share of the records
     * @return the indices of the held-out records
     */
    public BitSet draw(double share, long seed) {
        int[] sizes = new int[parents.length];
        for (int i = 0; i < parents.length; i++) {
            sizes[root(i)]++;
        }
        List<Integer> groups = new ArrayList<>();
        IntStream.range(0, sizes.length).filter(i -> sizes[i] > 0).forEach(groups::add);
        Collections.shuffle(groups, new Random(seed));
        BitSet drawn = new BitSet(parents.length);
        long held = 0;
        for (int group : groups) {
            if (held >= share * parents.length) {
                break;
            }
            drawn.set(group);
            held += sizes[group];
        }
        BitSet records = new BitSet(parents.length);
        IntStream.range(0, parents.length).filter(i -> drawn.get(root(i))).forEach(records::set);
        return records;
    }
}
