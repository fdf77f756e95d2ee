package dev.prpf.par.sets;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.par.sets.DataCallsConfig.CallSetSettings;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Selects the records of a set, one by one in order of precedence. A record must fit, and define no function differently than an earlier
 * selected record. Memory holds ids, requests and distinct functions.
 */
public final class CallSelection {
    private final CallSetSettings settings;
    private final Set<String> ids = new HashSet<>();
    private final DefinedFunctions functions = new DefinedFunctions();
    private final HeldOut groups = new HeldOut();
    private final List<Integer> taken = new ArrayList<>();
    private final BitSet silent = new BitSet();
    private int overLong;
    private int manyAnswers;
    private int longest;

    public CallSelection(CallSetSettings settings) {
        this.settings = settings;
    }

    /**
     * The properties of a record that decide on its selection.
     *
     * @param length of the prompt, in tokens
     * @param acts whether a function fits the request
     * @param marks texts that only records of one side of the split may share: names of functions, and the request
     */
    public record Facts(
            String id, int length, CallPrompts.Fit fit, boolean acts, List<FunctionSpec> functions, List<String> marks)
            implements Serializable {}

    /**
     * The selected records, by index.
     *
     * @param train at least one
     * @param test at least one; shares no function and no request with {@code train}
     */
    public record Selected(BitSet train, BitSet test, FunctionPool pool, CallSet.Counts counts) {}

    /**
     * Adds the next record.
     *
     * @throws PrpfException 65 for a duplicate id
     */
    public void add(Facts record) {
        int index = ids.size();
        if (!ids.add(record.id())) {
            throw new InvalidDataException(
                    "record id \"" + record.id() + "\" is a duplicate; ids must be unique in all files of a set");
        }
        longest = Math.max(longest, record.length());
        overLong += record.fit() == CallPrompts.Fit.OVER_LONG ? 1 : 0;
        manyAnswers += record.fit() == CallPrompts.Fit.MANY_ANSWERS ? 1 : 0;
        if (record.fit() == CallPrompts.Fit.FITS && functions.take(record.functions())) {
            taken.add(index);
            silent.set(index, !record.acts());
            groups.add(record.marks());
        }
    }

    /**
     * Draws the held-out records.
     *
     * @throws PrpfException 65, naming the counts, for a split with an empty side
     */
    public Selected split() {
        BitSet held = groups.draw(settings.testShare(), settings.seed());
        BitSet train = new BitSet();
        BitSet test = new BitSet();
        for (int i = 0; i < taken.size(); i++) {
            (held.get(i) ? test : train).set(taken.get(i));
        }
        FunctionPool pool = new FunctionPool(functions.all());
        CallSet.Counts counts = new CallSet.Counts(
                ids.size(),
                overLong,
                manyAnswers,
                ids.size() - overLong - manyAnswers - taken.size(),
                longest,
                pool.size(),
                train.cardinality(),
                silent(train),
                test.cardinality(),
                silent(test));
        counts.requireBoth();
        return new Selected(train, test, pool, counts);
    }

    private int silent(BitSet side) {
        BitSet both = (BitSet) side.clone();
        both.and(silent);
        return both.cardinality();
    }

    /** The functions of the included records, in order of appearance, with unique names. */
    static final class DefinedFunctions {
        private final Map<String, FunctionSpec> byName = new LinkedHashMap<>();

        /**
         * Adds a record's functions, all or none.
         *
         * @return false if an earlier record defines one of their names differently
         */
        boolean take(List<FunctionSpec> functions) {
            if (functions.stream().anyMatch(function -> !byName.getOrDefault(function.name(), function)
                    .equals(function))) {
                return false;
            }
            functions.forEach(function -> byName.put(function.name(), function));
            return true;
        }

        Collection<FunctionSpec> all() {
            return byName.values();
        }
    }

    /**
     * Draws the held-out records of a set in whole groups, so that no function and no request is in both parts. The draw depends on the groups
     * and on the order of records only.
     */
    static final class HeldOut {
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
}
