package dev.prpf.par.command;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

/** Iterates over the samples of a file and counts them. Ids must be unique, also across the held-out file. */
final class CountedSamples implements Iterator<Sample>, AutoCloseable {
    private final Path file;
    private final SampleReader samples;
    private final Set<String> ids;
    private int count;
    private long acting;
    private long silent;

    private CountedSamples(Path file, Set<String> ids) {
        this.file = file;
        this.ids = ids;
        this.samples = SampleReader.open(file);
    }

    /**
     * Opens a file of samples.
     *
     * @throws PrpfException 65 if the file cannot be opened
     */
    public static CountedSamples open(Path file) {
        return new CountedSamples(file, new HashSet<>());
    }

    /** Opens another file that must not share ids with the samples read here. */
    public CountedSamples apart(Path other) {
        return new CountedSamples(other, ids);
    }

    @Override
    public boolean hasNext() {
        return samples.hasNext();
    }

    /** @throws PrpfException 65 for a duplicate id */
    @Override
    public Sample next() {
        Sample sample = samples.next();
        if (!ids.add(sample.id())) {
            throw new InvalidDataException(
                    file + ": the id \"" + sample.id()
                            + "\" is a duplicate in this export; ids must be unique, and held-out samples must not be trained on");
        }
        count++;
        if (sample.labelled() && sample.wantsIntervention()) {
            acting++;
        } else if (sample.labelled()) {
            silent++;
        }
        return sample;
    }

    /** Number of samples read so far. */
    public int count() {
        return count;
    }

    /** Number of samples read that want an intervention. */
    public long acting() {
        return acting;
    }

    /** Number of samples read that want silence; samples without answers count as neither. */
    public long silent() {
        return silent;
    }

    @Override
    public void close() {
        samples.close();
    }
}
