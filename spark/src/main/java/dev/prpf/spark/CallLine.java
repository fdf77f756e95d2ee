package dev.prpf.spark;

import dev.prpf.data.calls.CallRecord;
import dev.prpf.data.calls.CallRecordReader;
import dev.prpf.data.calls.CallRecordReader.Source;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * A function-calling record and its answer, unparsed.
 *
 * @param index of the record among the records of all inputs
 * @param answer null if no function serves the request
 */
record CallLine(long index, Placed question, @Nullable Placed answer) implements Serializable {
    /** A line and the input that holds it. */
    record Placed(String input, Numbered line) implements Serializable {
        String place() {
            return input + ": record " + line.index();
        }

        Source source() {
            return new Source(place(), line.text());
        }
    }

    /** @throws dev.prpf.base.error.PrpfException 65 if the line is not a record, or the answer does not fit the record */
    CallRecord record() {
        return CallRecordReader.parse(question.source(), answer == null ? null : answer.source());
    }
}
