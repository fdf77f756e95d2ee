package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.calls.CallRecord;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.prompt.PromptSettings;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Function-calling records as prompts, samples and one pool. A record's prompt shows its own functions, with the request in place of a trace.
 * Function names in the pool are unique: a record that redefines a name is omitted.
 *
 * @param train at least one
 * @param test at least one; shares no function and no request with {@code train}
 * @param pool of the functions of both
 * @param counts of the included and omitted records
 */
public record CallSet(List<Entry> train, List<Entry> test, FunctionPool pool, Counts counts) {
    public CallSet {
        train = List.copyOf(train);
        test = List.copyOf(test);
    }

    /** A record as an SFT pair, and as a sample with all valid answers. */
    public record Entry(SftRecord record, Sample sample) {}

    /**
     * Numbers of included and omitted records.
     *
     * @param records number of input records
     * @param overLong omitted because their prompts are too long
     * @param manyAnswers omitted because too many sequences are valid
     * @param conflicting omitted because an earlier record has another function of the same name
     * @param longest tokens of the longest prompt, including omitted ones
     */
    public record Counts(int records, int overLong, int manyAnswers, int conflicting, int longest)
            implements Serializable {
        /** Returns the sum for two parts of an input. */
        public Counts plus(Counts other) {
            return new Counts(
                    Math.addExact(records, other.records),
                    overLong + other.overLong,
                    manyAnswers + other.manyAnswers,
                    conflicting + other.conflicting,
                    Math.max(longest, other.longest));
        }

        /** Returns these counts with all remaining records as conflicting. */
        public Counts withTaken(int taken) {
            return new Counts(records, overLong, manyAnswers, records - overLong - manyAnswers - taken, longest);
        }

        /**
         * Rejects a split with an empty side.
         *
         * @throws PrpfException 65, naming the counts
         */
        public void requireBoth(int train, int test) {
            if (train == 0 || test == 0) {
                throw new InvalidDataException("of " + records + " records " + (train + test) + " can be used (" + this
                        + "), " + train + " for training and " + test
                        + " held out; neither may be 0: raise set.max-length, or give more records");
            }
        }
    }

    /**
     * Makes training and test set.
     *
     * @param records in order of precedence; of two conflicting records the first is kept
     * @param tokenizer of the model; not owned
     * @throws PrpfException 65 for a duplicate id or an empty side of the split; 78 for prompts with predicted scenes or reasoning, which
     *     such records lack
     */
    public static CallSet build(
            List<CallRecord> records, PromptSettings prompt, CallSetSettings settings, ChatTokenizer tokenizer) {
        CallPrompts.require(prompt);
        requireApart(records);
        Making making = new Making(new CallPrompts(new DataCallsConfig(prompt, settings), tokenizer));
        List<CallRecord> taken = records.stream().filter(making::take).toList();
        BitSet held = heldOut(taken, settings);
        List<Entry> train = new ArrayList<>();
        List<Entry> test = new ArrayList<>();
        for (int i = 0; i < taken.size(); i++) {
            (held.get(i) ? test : train).add(making.prompts.entry(taken.get(i), held.get(i)));
        }
        Counts counts = making.counts(records.size());
        counts.requireBoth(train.size(), test.size());
        return new CallSet(train, test, new FunctionPool(making.functions.all()), counts);
    }

    private static void requireApart(List<CallRecord> records) {
        Set<String> ids = new HashSet<>();
        for (CallRecord record : records) {
            if (!ids.add(record.id())) {
                throw twice(record.id());
            }
        }
    }

    /** Returns the exception for a duplicate id. */
    public static PrpfException twice(String id) {
        return new InvalidDataException(
                "record id \"" + id + "\" is a duplicate; ids must be unique in all files of a set");
    }

    /** Selects records and counts the omitted ones. */
    private static final class Making {
        private final CallPrompts prompts;
        private final DefinedFunctions functions = new DefinedFunctions();
        private int overLong;
        private int manyAnswers;
        private int conflicting;
        private int longest;

        Making(CallPrompts prompts) {
            this.prompts = prompts;
        }

        boolean take(CallRecord record) {
            int length = prompts.length(record);
            longest = Math.max(longest, length);
            switch (prompts.fit(record, length)) {
                case OVER_LONG -> overLong++;
                case MANY_ANSWERS -> manyAnswers++;
                case FITS -> {
                    boolean taken = functions.take(record.functions());
                    conflicting += taken ? 0 : 1;
                    return taken;
                }
            }
            return false;
        }

        Counts counts(int records) {
            return new Counts(records, overLong, manyAnswers, conflicting, longest);
        }
    }

    private static BitSet heldOut(List<CallRecord> records, CallSetSettings settings) {
        HeldOut groups = new HeldOut(records.size());
        Map<String, Integer> first = new HashMap<>();
        for (int i = 0; i < records.size(); i++) {
            for (String mark : HeldOut.marks(records.get(i))) {
                Integer before = first.putIfAbsent(mark, i);
                if (before != null) {
                    groups.join(i, before);
                }
            }
        }
        return groups.draw(settings.testShare(), settings.seed());
    }
}
