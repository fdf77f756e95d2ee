package dev.prpf.par.training;

import dev.prpf.base.run.ProcessMemory;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

/**
 * Prints the terms of an estimate and the resident memory that each one takes.
 *
 * @param name of the training, without spaces
 */
record ResidentTerms(String name) {
    /** Prints the bytes added since {@code before} and returns the resident bytes. */
    long print(String term, long estimated, long before) {
        long now = resident();
        report(term, estimated, now - before);
        return now;
    }

    /** Prints the peak of some work above {@code before}. */
    void peak(String term, long estimated, long before, Runnable work) {
        ProcessMemory.resetPeak();
        work.run();
        report(term, estimated, Objects.requireNonNull(ProcessMemory.peakBytes()) - before);
    }

    private void report(String term, long estimated, long measured) {
        System.out.printf(Locale.ROOT, "%s %s %.1f %.1f%n", name, term, estimated / 1e6, measured / 1e6);
    }

    /** Returns the resident bytes after a garbage collection. Java unmaps closed files a little later than the collection. */
    static long resident() {
        System.gc();
        LockSupport.parkNanos(100_000_000);
        return Objects.requireNonNull(ProcessMemory.residentBytes());
    }
}
