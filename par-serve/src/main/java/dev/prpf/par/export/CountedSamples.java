package dev.prpf.par.export;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

/** The samples of a file as they go by, counted; no id may stand twice, or in the file that is held out from it. */
public final class CountedSamples implements Iterator<Sample>, AutoCloseable {
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
     * Opens a file.
     *
     * @throws PrpfException 65 if it cannot be opened
     */
    public static CountedSamples open(Path file) {
        return new CountedSamples(file, new HashSet<>());
    }

    /** Opens a file whose ids must not be among those that went by here. */
    public CountedSamples apart(Path other) {
        return new CountedSamples(other, ids);
    }

    @Override
    public boolean hasNext() {
        return samples.hasNext();
    }

    /** @throws PrpfException 65 for an id that went by before */
    @Override
    public Sample next() {
        Sample sample = samples.next();
        if (!ids.add(sample.id())) {
            throw new InvalidDataException(file + ": the id \"" + sample.id()
                    + "\" stands in this export already; ids are unique, and what is held out is not trained on");
        }
        count++;
        if (sample.labelled() && sample.wantsIntervention()) {
            acting++;
        } else if (sample.labelled()) {
            silent++;
        }
        return sample;
    }

    /** How many went by. */
    public int count() {
        return count;
    }

    /** Of them those that want intervention. */
    public long acting() {
        return acting;
    }

    /** Of them those whose answers are silence; without answers a sample is neither. */
    public long silent() {
        return silent;
    }

    @Override
    public void close() {
        samples.close();
    }
}
