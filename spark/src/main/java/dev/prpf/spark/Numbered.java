package dev.prpf.spark;

import dev.prpf.data.io.Finding;
import dev.prpf.data.io.MalformedFileException;
import dev.prpf.data.io.RecordStream;
import dev.prpf.data.io.RecordStream.RawRecord;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A record of an input as JSON, with its index. Indices follow the files' paths, then the lines or rows of each file. */
record Numbered(long index, byte[] json) implements Serializable {
    String text() {
        return new String(json, StandardCharsets.UTF_8);
    }

    /** Returns the place of this record for messages. */
    String place(String input) {
        return input + ": record " + index;
    }

    /** Returns the record as JSON; null, with a finding, if it is not JSON. */
    @Nullable
    RawRecord raw(Consumer<Finding> failures) {
        try {
            return RecordStream.single(index, json);
        } catch (MalformedFileException e) {
            failures.accept(new Finding("#" + index, e.defect()));
            return null;
        }
    }

    /** Returns the message about the first defect of this record. */
    String refusal(String input, Finding first) {
        return place(input) + (first.id() == null ? "" : " (id " + first.id() + ")") + ", "
                + first.defect().describe() + "; validate lists every defect";
    }
}
