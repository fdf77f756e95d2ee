package dev.prpf.par.serve.policy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Takes the bytes of erased rows out of the database's files. SQLite overwrites a row as it deletes it; the log is emptied before an erasure is
 * answered. Copies of rows that it moved before can stay in the gaps of its pages until the file is written anew: one of up to {@link
 * #SMALL_PAGES} at once, a larger one, which keeps everybody waiting for seconds, at once if that was not done within the hour, else by the
 * hourly sweep.
 */
final class Cleaning {
    /** 16 MiB. */
    static final int SMALL_PAGES = 4096;

    private static final Duration AGAIN = Duration.ofHours(1);

    private final PolicyDatabase database;
    private final Clock clock;
    private final AtomicBoolean inLog = new AtomicBoolean(true);
    private final AtomicBoolean inGaps = new AtomicBoolean(true);
    private @Nullable Instant rewritten;

    /** Of a database that was just opened: the program may have ended between a deletion and its cleaning. */
    Cleaning(PolicyDatabase database, Clock clock) {
        this.database = database;
        this.clock = clock;
        rewritten = database.holdsFreePages() ? null : clock.instant();
    }

    /** Told of rows that have run out. */
    void expired() {
        inLog.set(true);
    }

    /** Told of rows that were erased. */
    void erased() {
        inLog.set(true);
        inGaps.set(true);
    }

    /** Whether the files may hold bytes of what was told. */
    boolean pending() {
        return inLog.get() || inGaps.get();
    }

    /**
     * Cleans of everything that was told before, in one turn of the database. What is told meanwhile is left for the next call; where it fails,
     * all of it is.
     *
     * @param whole whether the file is written anew whatever its size, if anything may stand in its gaps
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
