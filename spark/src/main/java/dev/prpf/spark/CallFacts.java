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

/** Derives facts, set entries and samples from single function-calling records, inside tasks. */
final class CallFacts implements Serializable {
    private static final long serialVersionUID = 1L;

    private final DataCallsConfig config;
    private final String model;
    private transient @Nullable CallPrompts prompts;

    /** @param model folder of the model that tokenizes the prompts; every executor must see it */
    CallFacts(DataCallsConfig config, String model) {
        this.config = config;
        this.model = model;
    }

    /**
     * The properties of a record that decide whether it is taken and whether it is held out.
     *
     * @param length of the prompt, in tokens
     * @param marks keys that it shares with the records of its group, {@link HeldOut#marks}
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

    /** A record's line in the SFT set and its line in the gold samples. */
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
