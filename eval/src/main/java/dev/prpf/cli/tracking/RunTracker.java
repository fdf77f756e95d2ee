package dev.prpf.cli.tracking;

import dev.prpf.base.error.PrpfException;
import java.nio.file.Path;
import java.util.List;

/**
 * One run's end of a tracker. Used by one thread. Whatever fails throws a {@link PrpfException} and may be tried again: 69 where all of the
 * tracker is out of reach now, another code where it is this run's own trouble.
 */
interface RunTracker extends AutoCloseable {
    /** How far the run was sent. */
    Sent sent();

    /** Sends lines that lie behind {@link #sent()} and follow each other; afterwards that is the last one's place, for later processes too. */
    void send(List<MetricLine> lines);

    /** Tells how the run was left: its state, figures and documents. */
    void finish(RunFacts run);

    /** Where a person sees the run: an address or a folder. */
    String place();

    @Override
    void close();

    /** A tracker. */
    @FunctionalInterface
    interface Factory extends AutoCloseable {
        /**
         * Begins a run there, or goes on with the one that this folder was sent to.
         *
         * @throws PrpfException 69 if another process sends it
         */
        RunTracker open(Path run);

        @Override
        default void close() {}
    }
}
