package dev.prpf.par.serve.policy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Removes the bytes of erased rows from the database's files. SQLite overwrites a row when it deletes the row. The log is emptied before an erasure
 * is answered. Copies of moved rows may stay in the gaps of pages until the file is rewritten. A file of up to {@link #SMALL_PAGES} pages is
 * rewritten at once. A larger one blocks all users for seconds. It is rewritten at once if an hour has passed, else by the hourly sweep.
 */
final class Cleaning {
    /** 16 MiB in pages of 4 KiB. */
    static final int SMALL_PAGES = 4096;

    private static final Duration AGAIN = Duration.ofHours(1);

    private final PolicyDatabase database;
    private final Clock clock;
    private final AtomicBoolean inLog = new AtomicBoolean(true);
    private final AtomicBoolean inGaps = new AtomicBoolean(true);
    private @Nullable Instant rewritten;

    /** Starts with both flags set: the program may have ended between a deletion and its cleaning. */
    Cleaning(PolicyDatabase database, Clock clock) {
        this.database = database;
        this.clock = clock;
        rewritten = database.holdsFreePages() ? null : clock.instant();
    }

    /** Call after expired rows were deleted. */
    void expired() {
        inLog.set(true);
    }

    /** Call after rows were erased. */
    void erased() {
        inLog.set(true);
        inGaps.set(true);
    }

    /** Returns whether the files may still hold bytes of deleted rows. */
    boolean pending() {
        return inLog.get() || inGaps.get();
    }

    /**
     * Cleans up after all deletions reported so far, in one turn of the database. Deletions reported meanwhile, or all if it fails, are left for the
     * next call.
     *
     * @param whole whether to rewrite the file, whatever its size, if its gaps may hold erased bytes
     * @throws dev.prpf.base.error.UnavailableException if the database cannot be used
     */
    void clean(boolean whole) {
        database.read(PolicyDatabase.SERVER, open -> {
            boolean log = inLog.getAndSet(false);
            boolean gaps = (whole || due(open)) && inGaps.getAndSet(false);
            boolean done = false;
            try {
                if (gaps) {
                    database.rewrite(open);
                    rewritten = clock.instant();
                }
                if (log || gaps) {
                    PolicyDatabase.emptyLog(open);
                }
                done = true;
                return true;
            } finally {
                if (!done) {
                    inLog.set(true);
                    inGaps.compareAndSet(false, gaps);
                }
            }
        });
    }

    private boolean due(Connection open) throws SQLException {
        Instant last = rewritten;
        return PolicyDatabase.number(open, "PRAGMA page_count") <= SMALL_PAGES
                || last == null
                || !clock.instant().isBefore(last.plus(AGAIN));
    }
}
