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
 * Function-calling records as prompts, samples and one pool. A record's prompt shows its own functions; the request stands where a
 * sample's trace does. In the pool a name means one function: of records that define it differently, those that come later are left out.
 *
 * @param train at least one
 * @param test at least one; shares no function and no request with {@code train}
 * @param pool of the functions of both
 * @param counts of the records that were taken and left out
 */
public record CallSet(List<Entry> train, List<Entry> test, FunctionPool pool, Counts counts) {
    public CallSet {
        train = List.copyOf(train);
        test = List.copyOf(test);
    }

    /** A record as an SFT pair, and as a sample with all valid answers. */
    public record Entry(SftRecord record, Sample sample) {}

    /**
     * Records that were taken and left out.
     *
     * @param records read
     * @param overLong left out for their prompts' length
     * @param manyAnswers left out for the number of sequences that are right
     * @param conflicting left out because a record before has another function of the same name
     * @param longest tokens of the longest prompt, those left out among them
     */
    public record Counts(int records, int overLong, int manyAnswers, int conflicting, int longest)
            implements Serializable {
        /** Those of both parts of an input. */
        public Counts plus(Counts other) {
            return new Counts(
                    Math.addExact(records, other.records),
                    overLong + other.overLong,
                    manyAnswers + other.manyAnswers,
                    conflicting + other.conflicting,
                    Math.max(longest, other.longest));
        }

        /** These, with what is neither taken nor left out for its size as conflicting. */
        public Counts withTaken(int taken) {
            return new Counts(records, overLong, manyAnswers, records - overLong - manyAnswers - taken, longest);
        }

        /**
         * Refuses a split with an empty side.
         *
         * @throws PrpfException 65, naming the counts
         */
        public void requireBoth(int train, int test) {
            if (train == 0 || test == 0) {
                throw new InvalidDataException("of " + records + " records " + (train + test) + " can be taken (" + this
                        + "), " + train + " to train on and " + test
                        + " held out; both must have some: raise set.max-length, or give more records");
            }
        }
    }

    /**
     * Makes the sets.
     *
     * @param records in an order that decides which of two conflicting ones stays
     * @param tokenizer of the model that is to read the prompts; stays the caller's
     * @throws PrpfException 65 for an id that stands twice, or when a side of the split is empty; 78 for prompts that ask for predicted
     *     scenes or reasoning, of which such records have none
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

    /** What is said of an id that two records have. */
    public static PrpfException twice(String id) {
        return new InvalidDataException(
                "record id \"" + id + "\" stands twice; ids must differ over all files that become one set");
    }

    /** What is taken, and why the rest is not. */
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
