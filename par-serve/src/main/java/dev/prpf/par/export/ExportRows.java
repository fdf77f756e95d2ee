package dev.prpf.par.export;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.data.Sample;
import dev.prpf.par.sets.SftRecord;

/** Makes records a trainer's rows. */
interface ExportRows {
    /** A prompt with its response. */
    Record supervised(SftRecord record);

    /** A prompt with what it is rewarded against, as row {@code index} of its split. */
    Record rewarded(SftRecord record, Sample sample, String split, int index);

    /**
     * Refuses a record that the trainer would read otherwise.
     *
     * @throws InvalidDataException naming the record
     */
    void requireReadable(SftRecord record);
}
