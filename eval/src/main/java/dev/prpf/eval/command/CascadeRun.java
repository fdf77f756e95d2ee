package dev.prpf.eval.command;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.KeyedLines;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.openai.RemoteUsage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The loop of {@code eval run}: samples go through the cascade in chunks, and the predictions of a chunk are appended and made durable
 * together. Samples that have a prediction are left out, so that a run that was stopped or killed goes on where it was.
 *
 * @param cascade stays the caller's to close
 * @param data samples
 * @param out the predictions' file
 * @param atLeast samples a chunk, where the usual number is too few to keep the reasoner busy
 */
record CascadeRun(Cascade cascade, Path data, Path out, int atLeast) {
    /** Samples of the first chunk; each next one is twice as large, since batches run empty at a chunk's end. */
    static final int CHUNK = 64;

    /** Samples of a chunk at most: what a kill costs. */
    private static final int MAX_CHUNK = 256;

    /**
     * The counts of a run, those of its resumed parts included; what {@code eval run --json} prints.
     *
     * @param predictions path of the file
     * @param samples predictions in it
     * @param silentByGate kept from the reasoner
     * @param reasoned reasoned about
     * @param acting of these, with at least one call
     * @param malformed of these, with a response that breaks the grammar
     * @param seconds wall clock of this process's part, models loaded
     * @param remote what a reasoner on a server used, or null where it ran in this process
     */
    record Summary(
            String predictions,
            int samples,
            int silentByGate,
            int reasoned,
            int acting,
            int malformed,
            double seconds,
            @Nullable RemoteUsage remote) {
        static Summary of(String file, List<Prediction> predictions, double seconds, @Nullable RemoteUsage remote) {
            int silent = 0;
            int acting = 0;
            int malformed = 0;
            for (Prediction prediction : predictions) {
                silent += prediction.route() == Prediction.Route.SILENT ? 1 : 0;
                List<?> scored = prediction.scored();
                malformed += scored == null ? 1 : 0;
                acting += scored != null && !scored.isEmpty() ? 1 : 0;
            }
            int all = predictions.size();
            return new Summary(file, all, silent, all - silent, acting, malformed, seconds, remote);
        }
    }

    /**
     * Runs to the end of the data.
     *
     * @param usage of a reasoner on a server when the run has ended, or gives null
     * @throws PrpfException 65 for data in which an id stands twice or predictions of other samples; 75 when stopped by a signal
     */
    Summary run(StopSignal stop, Supplier<@Nullable RemoteUsage> usage) {
        long start = System.nanoTime();
        Set<String> ids = ids();
        try (KeyedLines appender = Prediction.open(out);
                SampleReader reader = SampleReader.open(data);
                Progress progress = Progress.start("eval run", ids.size())) {
            progress.stepBy(appender.size());
            run(reader, appender, progress, stop);
            if (appender.size() != ids.size()) {
                throw new InvalidDataException(out + ": holds " + appender.size() + " predictions, but " + data
                        + " has " + ids.size() + " samples: some are of other data; name another --out");
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        return Summary.of(out.toString(), Prediction.read(out), seconds, usage.get());
    }

    private void run(SampleReader reader, KeyedLines appender, Progress progress, StopSignal stop) {
        int chunk = Math.max(CHUNK, atLeast);
        List<Sample> samples = new ArrayList<>();
        while (reader.hasNext()) {
            Sample sample = reader.next();
            if (!appender.has(sample.id())) {
                samples.add(sample);
            }
            if (samples.size() == chunk || (!reader.hasNext() && !samples.isEmpty())) {
                cascade.predict(samples, progress::step).forEach(prediction -> prediction.append(appender));
                appender.flush();
                samples.clear();
                chunk = Math.max(chunk, Math.min(2 * chunk, MAX_CHUNK));
                if (stop.requested() && reader.hasNext()) {
                    throw StopSignal.checkpointed(appender.size(), out);
                }
            }
        }
    }

    private Set<String> ids() {
        Set<String> ids = new HashSet<>();
        try (SampleReader reader = SampleReader.open(data)) {
            while (reader.hasNext()) {
                String id = reader.next().id();
                if (!ids.add(id)) {
                    throw new InvalidDataException(
                            data + ": id " + id + " stands twice; check the data with `prpf data validate`");
                }
            }
        }
        return ids;
    }
}
