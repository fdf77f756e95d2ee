package dev.prpf.spark;

import dev.prpf.data.calls.CallRecord;
import dev.prpf.data.calls.CallRecordReader;
import dev.prpf.data.calls.CallRecordReader.Source;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * A function-calling record and its answer, as their inputs have them.
 *
 * @param index the record's place among those of all inputs
 * @param answer null where no function serves
 */
record CallLine(long index, Placed question, @Nullable Placed answer) implements Serializable {
    /** A line, with the input that it is of. */
    record Placed(String input, Numbered line) implements Serializable {
        String place() {
            return input + ": record " + line.index();
        }

        Source source() {
            return new Source(place(), line.text());
        }
    }

    /** @throws dev.prpf.base.error.PrpfException 65 if it is no record, or the answer does not fit it */
    CallRecord record() {
        return CallRecordReader.parse(question.source(), answer == null ? null : answer.source());
    }
}
