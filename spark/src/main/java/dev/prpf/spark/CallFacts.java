package dev.prpf.spark;

import dev.prpf.data.FunctionSpec;
import dev.prpf.data.calls.CallRecord;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.par.sets.CallPrompts;
import dev.prpf.par.sets.CallSet;
import dev.prpf.par.sets.DataCallsConfig;
import dev.prpf.par.sets.HeldOut;
import dev.prpf.par.sets.SftRecords;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What tasks say and make of function-calling records, each without the others. */
final class CallFacts implements Serializable {
    private static final long serialVersionUID = 1L;

    private final DataCallsConfig config;
    private final String model;
    private transient @Nullable CallPrompts prompts;

    /** @param model whose tokenizer counts the prompts' tokens; its folder is there for every executor */
    CallFacts(DataCallsConfig config, String model) {
        this.config = config;
        this.model = model;
    }

    /**
     * What must be known of a record to decide which ones are taken, and which of them are held out.
     *
     * @param length tokens of its prompt
     * @param marks what it has in common with the records that it must stay together with, {@link HeldOut#marks}
     */
    record Fact(
            CallLine line, String id, int length, CallPrompts.Fit fit, List<FunctionSpec> functions, List<String> marks)
            implements Serializable {
        boolean fits() {
            return fit == CallPrompts.Fit.FITS;
        }

        CallSet.Counts counts() {
            int overLong = fit == CallPrompts.Fit.OVER_LONG ? 1 : 0;
            int manyAnswers = fit == CallPrompts.Fit.MANY_ANSWERS ? 1 : 0;
            return new CallSet.Counts(1, overLong, manyAnswers, 0, length);
        }
    }

    /** A record as it stands in a set, and as a sample: a line of each. */
    record Written(boolean heldOut, boolean acts, String record, String sample) implements Serializable {}

    Fact fact(CallLine line) {
        CallRecord record = line.record();
        int length = prompts().length(record);
        CallPrompts.Fit fit = prompts().fit(record, length);
        return new Fact(line, record.id(), length, fit, record.functions(), HeldOut.marks(record));
    }

    Written written(CallLine line, boolean heldOut) {
        CallSet.Entry entry = prompts().entry(line.record(), heldOut);
        return new Written(
                heldOut,
                entry.record().intervention(),
                SftRecords.line(entry.record()),
                SampleWriter.line(entry.sample()));
    }

    private CallPrompts prompts() {
        CallPrompts known = prompts;
        if (known == null) {
            known = new CallPrompts(config, ExecutorTokenizer.of(model));
            prompts = known;
        }
        return known;
    }
}
