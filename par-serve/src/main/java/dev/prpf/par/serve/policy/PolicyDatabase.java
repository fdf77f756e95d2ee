package dev.prpf.par.serve.policy;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.par.serve.http.KeyShare;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.commons.lang3.function.FailableFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteErrorCode;

/**
 * The SQLite file (WAL) that holds the state of all accounts. One connection, used by one thread at a time. Deleted rows are overwritten
 * (secure_delete); {@link Cleaning} removes them from the file and the log. Owners take turns: one request of each owner waits for the connection,
 * the owner's others wait for it. A wait beyond the timeout fails, for a turn or for another program.
 */
final class PolicyDatabase implements AutoCloseable {
    static final String FILE = "policy.db";

    /** Owner of the server's own work; no key has this name. */
    static final String SERVER = "";

    private static final Logger LOG = LoggerFactory.getLogger(PolicyDatabase.class);
    /** "PRPF" in ASCII, as SQLite's application id. */
    private static final int APPLICATION = 0x50525046;

    private static final int VERSION = 1;
    private static final int PAGE = 4096;
    /** Free bytes required before an intervention is granted, so that its audit entry fits. */
    static final long AUDIT_ROOM = 256 << 10;

    private static final String ACCOUNT = "owner TEXT NOT NULL, user TEXT NOT NULL, ";
    private static final List<String> SCHEMA = List.of(
            "CREATE TABLE intervention (id INTEGER PRIMARY KEY, " + ACCOUNT + "at INTEGER NOT NULL) STRICT",
            "CREATE INDEX intervention_at ON intervention (owner, user, at)",
            "CREATE TABLE feedback (id INTEGER PRIMARY KEY AUTOINCREMENT, " + ACCOUNT
                    + "at INTEGER NOT NULL, accepted INTEGER NOT NULL, record TEXT) STRICT",
            "CREATE INDEX feedback_at ON feedback (owner, user, accepted, at)",
            "CREATE INDEX feedback_of ON feedback (owner, user)",
            "CREATE TABLE picture (" + ACCOUNT
                    + "name TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (owner, user, name)) STRICT",
            "CREATE TABLE audit (id INTEGER PRIMARY KEY AUTOINCREMENT, " + ACCOUNT
                    + "at INTEGER NOT NULL, entry TEXT NOT NULL) STRICT",
            "CREATE INDEX audit_at ON audit (owner, user, at)",
            "CREATE INDEX audit_of ON audit (owner, user)",
            "PRAGMA application_id = " + APPLICATION,
            "PRAGMA user_version = " + VERSION);

    /** Bytes that each owner holds in a table's column, counted at the start and kept up to date for this connection. */
    private static final String COUNT =
            """
            CREATE TEMP TABLE IF NOT EXISTS held (owner TEXT PRIMARY KEY, bytes INTEGER NOT NULL);
            INSERT INTO held SELECT owner, sum(100 + ifnull(octet_length(%2$s), 0)) FROM %1$s WHERE true GROUP BY owner
              ON CONFLICT (owner) DO UPDATE SET bytes = bytes + excluded.bytes;
            CREATE TEMP TRIGGER %1$s_added AFTER INSERT ON main.%1$s BEGIN
              INSERT INTO held VALUES (new.owner, 100 + ifnull(octet_length(new.%2$s), 0))
                ON CONFLICT (owner) DO UPDATE SET bytes = bytes + excluded.bytes; END;
            CREATE TEMP TRIGGER %1$s_deleted AFTER DELETE ON main.%1$s BEGIN
              UPDATE held SET bytes = bytes - 100 - ifnull(octet_length(old.%2$s), 0) WHERE owner = old.owner; END;
            """;

    private final Path file;
    private final int timeoutMs;
    private final KeyShare share;
    private final Connection connection;
    private final ReentrantLock turn = new ReentrantLock(true);
    private final Map<String, ReentrantLock> ofOwners = new ConcurrentHashMap<>();

    private PolicyDatabase(Path file, int timeoutMs, KeyShare share, Connection connection) {
        this.file = file;
        this.share = share;
        this.timeoutMs = timeoutMs;
        this.connection = connection;
    }

    /** A function of the connection. */
    interface Work<T extends @Nullable Object> extends FailableFunction<Connection, T, SQLException> {}

    /**
     * Opens the folder's database, or creates it.
     *
     * @param share of its bytes that an owner may hold
     * @throws PrpfException 65 for another database or version, 69 if it cannot be opened, created or written
     */
    static PolicyDatabase open(PolicySettings settings, KeyShare share) {
        Path file = settings.folder().resolve(FILE);
        OwnerFile.require(file, new byte[0]);
        try {
            Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file.toAbsolutePath());
            try {
                execute(connection, "PRAGMA busy_timeout = " + settings.busyTimeoutMs());
                requireOurs(file, connection);
                prepare(file, connection, settings);
                PolicyDatabase database = new PolicyDatabase(file, settings.busyTimeoutMs(), share, connection);
                database.write(SERVER, PolicyDatabase::createSchema);
                return database;
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            boolean broken = e.getErrorCode() == SQLiteErrorCode.SQLITE_NOTADB.code
                    || e.getErrorCode() == SQLiteErrorCode.SQLITE_CORRUPT.code;
            String message = file + ": " + e.getMessage();
            throw broken
                    ? new InvalidDataException(message + "; this is no policy database: move it away", e)
                    : unavailable(file, e);
        }
    }

    /** Checks the application id before any write, so that another program's database is not changed. */
    private static void requireOurs(Path file, Connection connection) throws SQLException {
        long tables = number(connection, "SELECT count(*) FROM sqlite_schema");
        long application = number(connection, "PRAGMA application_id");
        if (tables > 0 && application != APPLICATION) {
            throw new InvalidDataException(file + ": is another program's database: its application id is "
                    + application + ", must be " + APPLICATION);
        }
        long version = number(connection, "PRAGMA user_version");
        if (tables > 0 && version != VERSION) {
            throw new InvalidDataException(file + ": its schema is of version " + version + ", this program knows "
                    + VERSION + "; use the program that made it, or move it away");
        }
    }

    private static void prepare(Path file, Connection connection, PolicySettings settings) throws SQLException {
        execute(connection, "PRAGMA secure_delete = ON");
        execute(connection, "PRAGMA temp_store = FILE");
        String folder = String.valueOf(file.toAbsolutePath().getParent()).replace("'", "''");
        execute(connection, "PRAGMA temp_store_directory = '" + folder + "'"); // which drops temporary tables
        execute(connection, "PRAGMA synchronous = NORMAL");
        execute(connection, "PRAGMA trusted_schema = OFF");
        execute(connection, "PRAGMA max_page_count = " + settings.maxDatabaseBytes() / PAGE);
        String mode = query(connection, "PRAGMA journal_mode = WAL", row -> row.getString(1))
                .get(0);
        if (!mode.equals("wal")) {
            throw new UnavailableException(file + ": its journal is \"" + mode
                    + "\" and cannot be a write-ahead log; put the folder on a local disk");
        }
    }

    private static int createSchema(Connection connection) throws SQLException {
        if (number(connection, "SELECT count(*) FROM sqlite_schema") == 0) {
            for (String statement : SCHEMA) {
                execute(connection, statement);
            }
        }
        for (String[] column : new String[][] {{"feedback", "record"}, {"picture", "bytes"}, {"audit", "entry"}}) {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate(COUNT.formatted((Object[]) column));
            }
        }
        return VERSION;
    }

    /** Runs read-only statements, or a single write, in the turn of an owner. */
    <T extends @Nullable Object> T read(String owner, Work<T> work) {
        return locked(
                ofOwners.computeIfAbsent(owner, unseen -> new ReentrantLock(true)),
                () -> locked(turn, () -> {
                    try {
                        return work.apply(connection);
                    } catch (SQLException e) {
                        throw unavailable(file, e);
                    }
                }));
    }

    private <T extends @Nullable Object> T locked(ReentrantLock lock, Supplier<T> work) {
        boolean mine = false;
        try {
            mine = lock.tryLock(timeoutMs, TimeUnit.MILLISECONDS);
            if (!mine) {
                throw new UnavailableException("policy database " + file + ": busy for " + timeoutMs + " ms");
            }
            return work.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("policy database " + file + ": interrupted while waiting for it");
        } finally {
            if (mine) {
                lock.unlock();
            }
        }
    }

    /**
     * Runs statements as one transaction. No other writer, of this program or another, runs in between.
     *
     * @throws PrpfException 69 if the database is locked, full or corrupt
     */
    <T extends @Nullable Object> T write(String owner, Work<T> work) {
        return read(owner, open -> {
            execute(open, "BEGIN IMMEDIATE");
            boolean done = false;
            try {
                T result = work.apply(open);
                execute(open, "COMMIT");
                done = true;
                return result;
            } finally {
                if (!done) {
                    rollBack(open);
                }
            }
        });
    }

    private static void rollBack(Connection connection) {
        try {
            execute(connection, "ROLLBACK");
        } catch (SQLException e) {
            LOG.debug("rolled back already: {}", e.getMessage()); // SQLite does so itself where it is full
        }
    }

    /** Rewrites the file without deleted rows, through an unnamed temporary file in the same folder. The log then holds the whole file. */
    void rewrite(Connection open) throws SQLException {
        execute(open, "VACUUM");
    }

    /** Checkpoints and truncates the log, so that bytes overwritten in the file do not stay in it. */
    static void emptyLog(Connection open) throws SQLException {
        if (number(open, "PRAGMA wal_checkpoint(TRUNCATE)") != 0) {
            throw new SQLException("its log could not be emptied, another program reads it");
        }
    }

    /**
     * Requires room for an owner's new bytes.
     *
     * @throws SQLException if the file would grow beyond its limit, or the owner's part beyond the owner's share
     */
    void requireRoom(Connection open, String owner, long bytes) throws SQLException {
        long used = PAGE * (number(open, "PRAGMA page_count") - number(open, "PRAGMA freelist_count"));
        long own = number(open, "SELECT ifnull(max(bytes), 0) FROM held WHERE owner = ?", owner);
        if (!share.allows(own, used, bytes)) {
            throw new SQLException((used + bytes > share.capacity()
                            ? "it is full: " + used + " of " + share.capacity() + " bytes are in use"
                            : "the key \"" + owner + "\" holds " + own + " bytes, more than three times what is free")
                    + "; erase something, or raise policy.max-database-mb");
        }
    }

    /** Returns whether the file has free pages, for example after a deletion without {@link #rewrite}. */
    boolean holdsFreePages() {
        return read(SERVER, open -> number(open, "PRAGMA freelist_count") > 0);
    }

    private static UnavailableException unavailable(Path file, SQLException cause) {
        return new UnavailableException("policy database " + file + ": " + cause.getMessage(), cause);
    }

    /** Converts one row of a result. */
    interface Row<T> extends FailableFunction<ResultSet, T, SQLException> {}

    static <T> List<T> query(Connection connection, String sql, Row<T> row, Object... values) throws SQLException {
        try (PreparedStatement statement = bound(connection, sql, values);
                ResultSet rows = statement.executeQuery()) {
            List<T> found = new ArrayList<>();
            while (rows.next()) {
                found.add(row.apply(rows));
            }
            return found;
        }
    }

    static long number(Connection connection, String sql, Object... values) throws SQLException {
        return query(connection, sql, row -> row.getLong(1), values).get(0);
    }

    /** @return number of changed rows */
    static int update(Connection connection, String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = bound(connection, sql, values)) {
            return statement.executeUpdate();
        }
    }

    private static PreparedStatement bound(Connection connection, String sql, @Nullable Object... values)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        turn.lock();
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.warn("policy database {}: could not be closed: {}", file, e.getMessage());
        } finally {
            turn.unlock();
        }
    }
}
