package dev.prpf.par.serve.policy;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.FairGate;
import dev.prpf.par.serve.http.KeyShare;
import dev.prpf.par.serve.policy.UserPolicies.PolicySettings;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.commons.lang3.function.FailableFunction;
import org.apache.commons.lang3.function.FailableSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;

/**
 * The SQLite file of the users' state, with a write-ahead log. One connection, used by one thread at a time; API keys take turns. A request fails if it
 * waits longer than the timeout in all, for its turn and for other programs.
 */
final class PolicyDatabase implements AutoCloseable {
    static final String FILE = "policy.db";

    /** Owner of the server's own work; no key has this name. */
    static final String SERVER = "";

    /** Bytes of a page. A row takes whole pages ({@link UserState}), so small pages waste little. */
    static final int PAGE = 1024;

    private static final Logger LOG = LoggerFactory.getLogger(PolicyDatabase.class);
    /** "PRPF" in ASCII, as SQLite's application id. */
    private static final int APPLICATION = 0x50525046;

    private static final int VERSION = 3;

    /** Bytes of the disk that only erasures may use: for the log of 1,000 pages, which they empty, and for their own pages. */
    private static final long ERASURE_ROOM = 2 << 20;

    private final Path file;
    private final int timeoutMs;
    private final KeyShare share;
    private final SQLiteConnection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private final FairGate turns;

    private PolicyDatabase(Path file, int timeoutMs, KeyShare share, SQLiteConnection connection) {
        this.file = file;
        this.share = share;
        this.timeoutMs = timeoutMs;
        this.connection = connection;
        turns = new FairGate(
                FairGate.Limits.single(Integer.MAX_VALUE, Duration.ofMillis(timeoutMs)),
                new FairGate.Refusals(() -> ApiException.unavailable(null, "busy for " + timeoutMs + " ms")));
    }

    /** Statements that run in a turn. */
    interface Work<T extends @Nullable Object> extends FailableSupplier<T, SQLException> {}

    /**
     * Opens the folder's database, or creates it.
     *
     * @param share of its bytes that an API key may hold
     * @throws PrpfException 65 for another database or version, 69 if it cannot be opened, created or written
     */
    static PolicyDatabase open(PolicySettings settings, KeyShare share) {
        Path file = settings.folder().resolve(FILE);
        OwnerFile.require(file, new byte[0]);
        try {
            SQLiteConnection connection = DriverManager.getConnection("jdbc:sqlite:" + file.toAbsolutePath())
                    .unwrap(SQLiteConnection.class);
            PolicyDatabase opened = new PolicyDatabase(file, settings.busyTimeoutMs(), share, connection);
            try {
                opened.prepare(settings);
                return opened;
            } catch (SQLException | RuntimeException e) {
                opened.close();
                throw e;
            }
        } catch (SQLException e) {
            boolean broken = e.getErrorCode() == SQLiteErrorCode.SQLITE_NOTADB.code
                    || e.getErrorCode() == SQLiteErrorCode.SQLITE_CORRUPT.code;
            String message = file + ": " + e.getMessage();
            throw broken
                    ? new InvalidDataException(message + "; this is not a policy database: move it away", e)
                    : new UnavailableException("policy database " + message, e);
        }
    }

    private void prepare(PolicySettings settings) throws SQLException {
        connection.setBusyTimeout(timeoutMs);
        boolean empty = number("SELECT count(*) FROM sqlite_schema") == 0;
        if (!empty) {
            requireOurs();
        }
        execute("PRAGMA page_size = " + PAGE);
        execute("PRAGMA secure_delete = ON");
        execute("PRAGMA temp_store = MEMORY"); // no row's text in a temporary file
        execute("PRAGMA synchronous = NORMAL");
        execute("PRAGMA trusted_schema = OFF");
        execute("PRAGMA max_page_count = " + settings.maxDatabaseBytes() / PAGE);
        String mode =
                query("PRAGMA journal_mode = WAL", row -> row.getString(1)).get(0);
        if (!mode.equals("wal")) {
            throw new UnavailableException(file + ": its journal is \"" + mode
                    + "\" and cannot be a write-ahead log; put the folder on a local disk");
        }
        if (empty) {
            transaction(this::createSchema);
        }
    }

    /** Checks the application id before any write, so that another program's database is not changed. */
    private void requireOurs() throws SQLException {
        long application = number("PRAGMA application_id");
        if (application != APPLICATION) {
            throw new InvalidDataException(file + ": is another program's database: its application id is "
                    + application + ", must be " + APPLICATION);
        }
        long version = number("PRAGMA user_version");
        if (version != VERSION) {
            throw new InvalidDataException(file + ": its schema is of version " + version + ", this program knows "
                    + VERSION + "; use the program that made it, or move it away");
        }
    }

    private int createSchema() throws SQLException {
        for (String statement : UserState.SCHEMA) {
            execute(statement);
        }
        execute("PRAGMA application_id = " + APPLICATION);
        execute("PRAGMA user_version = " + VERSION);
        return VERSION;
    }

    /** Runs statements that only read, in the turn of an API key. */
    <T extends @Nullable Object> T read(String owner, Work<T> work) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        try {
            return turns.turn(owner, () -> {}, () -> run(work, deadline));
        } catch (ApiException late) {
            throw new UnavailableException("policy database " + file + ": " + late.getMessage());
        }
    }

    private <T extends @Nullable Object> T run(Work<T> work, long deadline) {
        try {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            connection.setBusyTimeout((int) Math.max(1, left));
            return work.get();
        } catch (SQLException e) {
            throw new UnavailableException("policy database " + file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Runs statements as one transaction. No other writer, of this program or another, runs in between.
     *
     * @throws UnavailableException if the database is locked, full or corrupt; nothing is written then
     */
    <T extends @Nullable Object> T write(String owner, Work<T> work) {
        return read(owner, () -> transaction(work));
    }

    /**
     * Runs a transaction that deletes a batch of rows, and empties the log, which may hold their bytes. The log is also written to the file before the
     * transaction. This frees its pages on a full disk, and fails before anything is deleted if another program reads the log.
     *
     * @throws UnavailableException as {@link #write}, or if the log could not be emptied after all; the next erasure or start empties it
     */
    <T extends @Nullable Object> T erase(String owner, Work<T> work) {
        return read(owner, () -> {
            checkpoint("RESTART");
            T result = transaction(work);
            checkpoint("TRUNCATE");
            return result;
        });
    }

    private void checkpoint(String mode) throws SQLException {
        if (number("PRAGMA wal_checkpoint(" + mode + ")") != 0) {
            throw new SQLException("its log could not be emptied, another program reads it");
        }
    }

    private <T extends @Nullable Object> T transaction(Work<T> work) throws SQLException {
        execute("BEGIN IMMEDIATE");
        boolean done = false;
        try {
            T result = work.get();
            execute("COMMIT");
            done = true;
            return result;
        } finally {
            if (!done) {
                rollBack();
            }
        }
    }

    private void rollBack() {
        try {
            execute("ROLLBACK");
        } catch (SQLException e) {
            LOG.debug("rolled back already: {}", e.getMessage()); // SQLite rolls back itself if the disk is full
        }
    }

    /**
     * Requires room for an API key's new bytes.
     *
     * @throws SQLException if the file would exceed its limit, or the key's part its share, or the disk is full
     */
    void requireRoom(String owner, long bytes) throws SQLException {
        if (file.toFile().getUsableSpace() < ERASURE_ROOM + bytes) {
            throw new SQLException("its disk is full: less than " + (ERASURE_ROOM >> 20)
                    + " MiB would be left for erasures; erase something, or free space on the disk");
        }
        long own = number("SELECT ifnull(max(bytes), 0) FROM owner WHERE name = ?", owner);
        long used = PAGE * number("SELECT (SELECT * FROM pragma_page_count) - (SELECT * FROM pragma_freelist_count)");
        if (!share.allows(own, used, bytes)) {
            throw new SQLException((used + bytes > share.capacity()
                            ? "it is full: " + used + " of " + share.capacity() + " bytes are in use"
                            : "the key \"" + owner + "\" holds " + own + " bytes, more than three times what is free")
                    + "; erase something, or raise policy.max-database-mb");
        }
    }

    <T> List<T> query(String sql, FailableFunction<ResultSet, T, SQLException> row, @Nullable Object... values)
            throws SQLException {
        return prepared(sql, values, statement -> {
            try (ResultSet rows = statement.executeQuery()) {
                List<T> found = new ArrayList<>();
                while (rows.next()) {
                    found.add(row.apply(rows));
                }
                return found;
            }
        });
    }

    long number(String sql, @Nullable Object... values) throws SQLException {
        return query(sql, row -> row.getLong(1), values).get(0);
    }

    /** @return number of changed rows */
    int update(String sql, @Nullable Object... values) throws SQLException {
        return prepared(sql, values, PreparedStatement::executeUpdate);
    }

    /** Runs a statement, which is kept for the next time. One that fails is of no more use. */
    private <T> T prepared(
            String sql, @Nullable Object[] values, FailableFunction<PreparedStatement, T, SQLException> running)
            throws SQLException {
        PreparedStatement known = statements.remove(sql);
        PreparedStatement statement = known == null ? connection.prepareStatement(sql) : known;
        try {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            T result = running.apply(statement);
            statement.clearParameters(); // which may be large
            statements.put(sql, statement);
            return result;
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        try {
            read(SERVER, () -> {
                connection.close();
                return true;
            });
        } catch (UnavailableException e) {
            LOG.warn("{}; it could not be closed", e.getMessage());
        }
    }
}
