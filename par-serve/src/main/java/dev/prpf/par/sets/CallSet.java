package dev.prpf.par.sets;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.calls.CallRecord;
import dev.prpf.par.chat.ChatTokenizer;
import java.util.List;

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
     * @param functions size of the pool
     * @param trainSilent included for training, without a fitting function
     * @param testSilent held out, without a fitting function
     */
    public record Counts(
            int records,
            int overLong,
            int manyAnswers,
            int conflicting,
            int longest,
            int functions,
            int train,
            int trainSilent,
            int test,
            int testSilent) {
        /**
         * Rejects a split with an empty side.
         *
         * @throws PrpfException 65, naming the counts
         */
        void requireBoth() {
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
    public static CallSet build(List<CallRecord> records, DataCallsConfig config, ChatTokenizer tokenizer) {
        CallPrompts prompts = new CallPrompts(config, tokenizer);
        CallSelection selection = new CallSelection(config.set());
        records.forEach(record -> selection.add(prompts.facts(record)));
        CallSelection.Selected selected = selection.split();
        List<Entry> train = selected.train().stream()
                .mapToObj(i -> prompts.entry(records.get(i), false))
                .toList();
        List<Entry> test = selected.test().stream()
                .mapToObj(i -> prompts.entry(records.get(i), true))
                .toList();
        return new CallSet(train, test, selected.pool(), selected.counts());
    }
}
