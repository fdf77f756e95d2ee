package dev.prpf.eval.command;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.KeyedLines;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import dev.prpf.mpp.Perceiver;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.Prediction;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The loop of {@code eval run}: samples go through the cascade in chunks, and the predictions of a chunk are appended and made durable together.
 * Samples with a prediction are skipped, so that a stopped or killed run resumes.
 *
 * @param cascade closed by the caller
 * @param part the shard, and the minimum samples of a chunk that keep the reasoner busy
 */
record CascadeRun(Cascade cascade, Path data, Path out, Part part, RunMeter meter) {
    /** Samples of the first and of the smallest chunk. */
    static final int CHUNK = 16;

    private static final int MAX_CHUNK = 256;

    /** A chunk below these seconds doubles the next one; a chunk above the following constant halves it. */
    private static final double SHORT = 10;

    private static final double LONG = 40;

    /**
     * The samples to run and their chunks.
     *
     * @param atLeast minimum number of samples in a chunk
     */
    record Part(Shard shard, int atLeast) {}

    /**
     * Runs to the end of the data.
     *
     * @throws PrpfException 65 for duplicate ids in the data, or predictions of other samples; 75 when stopped by a signal
     */
    void run(StopSignal stop) {
        Set<String> ids = ids();
        try (KeyedLines appender = Prediction.open(out);
                SampleReader reader = SampleReader.open(data);
                Progress progress = Progress.resume("eval run", ids.size(), appender.size())) {
            meter.resumeAfter(appender.size());
            run(reader, appender, progress, stop);
            if (appender.size() != ids.size()) {
                throw new InvalidDataException(
                        out + ": holds " + appender.size() + " predictions, but " + data + " has " + ids.size()
                                + " samples" + (part.shard.equals(Shard.WHOLE) ? "" : " in shard " + part.shard)
                                + ": some belong to other data; name another --out");
            }
        }
    }

    private void run(SampleReader reader, KeyedLines appender, Progress progress, StopSignal stop) {
        int chunk = Math.max(CHUNK, part.atLeast);
        List<Sample> samples = new ArrayList<>();
        while (reader.hasNext()) {
            Sample sample = reader.next();
            if (part.shard.has(sample.id()) && !appender.has(sample.id())) {
                samples.add(sample);
            }
            if (samples.size() == chunk || (!reader.hasNext() && !samples.isEmpty())) {
                long start = System.nanoTime();
                predict(samples, progress).forEach(prediction -> prediction.append(appender));
                appender.flush();
                meter.durable(appender.size());
                samples.clear();
                chunk = Math.max(part.atLeast, next(chunk, (System.nanoTime() - start) / 1e9));
                if (stop.requested() && reader.hasNext()) {
                    throw StopSignal.savedIn(appender.size(), out);
                }
            }
        }
    }

    /**
     * Returns the next chunk's size. Large chunks are faster, as batches drain at a chunk's end; but a kill loses a chunk, and a signal waits
     * for it.
     */
    static int next(int chunk, double seconds) {
        if (seconds < SHORT) {
            return Math.max(chunk, Math.min(2 * chunk, MAX_CHUNK));
        }
        return seconds > LONG ? Math.max(chunk / 2, CHUNK) : chunk;
    }

    private List<Prediction> predict(List<Sample> samples, Progress progress) {
        List<Perceiver.Costed> perceived =
                cascade.perceiver() == null ? null : meter.perceiving(() -> cascade.perceive(samples));
        return meter.reasoning(() -> cascade.reason(samples, perceived, progress::step));
    }

    /** Returns the ids of this shard; all ids are read to check uniqueness. */
    private Set<String> ids() {
        Set<String> ids = new HashSet<>();
        try (SampleReader reader = SampleReader.open(data)) {
            while (reader.hasNext()) {
                String id = reader.next().id();
                if (!ids.add(id)) {
                    throw new InvalidDataException(
                            data + ": id " + id + " is a duplicate; check the data with `prpf data validate`");
                }
            }
        }
        ids.removeIf(id -> !part.shard.has(id));
        return ids;
    }
}
