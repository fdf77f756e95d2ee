package dev.prpf.cli.tracking;

import dev.prpf.base.error.PrpfException;
import java.nio.file.Path;
import java.util.List;

/**
 * Uploads one run to a tracker, from one thread. Methods throw a {@link PrpfException} and may be called again: 69 if the tracker cannot be
 * reached, another code if the fault is in this run.
 */
interface RunTracker extends AutoCloseable {
    /** Returns the number of lines of {@code metrics.jsonl} that this and earlier processes have sent. */
    int sent();

    /** Sends the lines after the first {@link #sent()}. */
    void send(List<MetricLine> lines);

    /** Sends the run's state, figures and documents. */
    void finish(RunFacts run);

    /** Returns the address or folder that shows the run. */
    String place();

    @Override
    default void close() {}

    @FunctionalInterface
    interface Factory extends AutoCloseable {
        /** Opens a run for this folder, or the one that earlier uploads of the folder created. */
        RunTracker open(Path run);

        @Override
        default void close() {}
    }
}
