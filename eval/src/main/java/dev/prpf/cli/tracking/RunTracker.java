package dev.prpf.cli.tracking;

import dev.prpf.base.error.PrpfException;
import java.nio.file.Path;
import java.util.List;

/**
 * One run at a tracker. Used by one thread. A failure throws a {@link PrpfException} and may be tried again: 69 where the tracker is out of
 * reach, another code where the fault lies in this run.
 */
interface RunTracker extends AutoCloseable {
    /** How many lines of {@code metrics.jsonl} were sent, by earlier processes too. */
    int sent();

    /** Sends the lines that follow the first {@link #sent()}. */
    void send(List<MetricLine> lines);

    /** Sends the run's state, figures and documents. */
    void finish(RunFacts run);

    /** Address or folder where a person finds the run. */
    String place();

    @Override
    default void close() {}

    /** Opens runs at one tracker. */
    @FunctionalInterface
    interface Factory extends AutoCloseable {
        /** Begins a run, or continues the one that this folder was sent to. */
        RunTracker open(Path run);

        @Override
        default void close() {}
    }
}
