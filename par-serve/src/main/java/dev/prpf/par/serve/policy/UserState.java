package dev.prpf.par.serve.policy;

import static dev.prpf.par.serve.policy.PolicyDatabase.number;
import static dev.prpf.par.serve.policy.PolicyDatabase.query;
import static dev.prpf.par.serve.policy.PolicyDatabase.update;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The SQL statements on the state of accounts. Every method is one transaction, and throws {@link dev.prpf.base.error.UnavailableException} where the
 * database cannot be used.
 */
final class UserState {
    private static final String OF = " WHERE owner = ? AND user = ?";

    private final PolicyDatabase database;

    UserState(PolicyDatabase database) {
        this.database = database;
    }

    History history(Account account, Instant dayBegan) {
        return database.read(account.owner(), open -> history(open, account, dayBegan));
    }

    private static History history(Connection open, Account account, Instant dayBegan) throws SQLException {
        return query(
                        open,
                        "SELECT (SELECT count(*) FROM intervention WHERE owner = ?1 AND user = ?2 AND at >= ?3),"
                                + " (SELECT max(at) FROM intervention WHERE owner = ?1 AND user = ?2),"
                                + " (SELECT max(at) FROM feedback WHERE owner = ?1 AND user = ?2 AND accepted = 0)",
                        row -> new History(row.getInt(1), instant(row, 2), instant(row, 3)),
                        account.owner(),
                        account.user(),
                        dayBegan.toEpochMilli())
                .get(0);
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        long millis = row.getLong(column);
        return row.wasNull() ? null : Instant.ofEpochMilli(millis);
    }

    /** Counts an intervention unless the history demands silence; concurrent calls see each other. A full database counts none. */
    @Nullable
    String intervene(Account account, UserRules rules, Instant now) {
        return database.<@Nullable String>write(account.owner(), open -> {
            database.requireRoom(open, account.owner(), PolicyDatabase.AUDIT_ROOM);
            String silence = rules.silence(history(open, account, rules.dayBegan(now)), now);
            if (silence == null) {
                String sql = "INSERT INTO intervention (owner, user, at) VALUES (?, ?, ?)";
                update(open, sql, account.owner(), account.user(), now.toEpochMilli());
            }
            return silence;
        });
    }

    /** Removes one intervention that was counted at that time. */
    void withdraw(Account account, Instant at) {
        String one = "DELETE FROM intervention WHERE id = (SELECT max(id) FROM intervention" + OF + " AND at = ?)";
        database.read(account.owner(), open -> update(open, one, account.owner(), account.user(), at.toEpochMilli()));
    }

    /** Adds an entry, and drops expired ones. Ids are microseconds, so that they do not reveal the entries of other accounts. */
    void audit(Account account, UserRules rules, Instant now, String entry) {
        database.write(account.owner(), open -> {
            expire(open, account, rules, now);
            database.requireRoom(open, account.owner(), 0);
            String sql = "INSERT INTO audit (id, owner, user, at, entry)"
                    + " VALUES (max(?, 1 + (SELECT ifnull(max(id), 0) FROM audit)), ?, ?, ?, ?)";
            long micros = ChronoUnit.MICROS.between(Instant.EPOCH, now);
            return update(open, sql, micros, account.owner(), account.user(), now.toEpochMilli(), entry);
        });
    }

    /**
     * Drops expired rows: audit entries, and times that no limit counts from.
     *
     * @return number of rows dropped
     */
    int expire(Account account, UserRules rules, Instant now) {
        return database.write(account.owner(), open -> expire(open, account, rules, now));
    }

    private static int expire(Connection open, Account account, UserRules rules, Instant now) throws SQLException {
        Object[] kept = {account.owner(), account.user(), rules.keptSince(now).toEpochMilli()};
        Object[] counted = {
            account.owner(), account.user(), rules.countedSince(now).toEpochMilli()
        };
        return update(open, "DELETE FROM audit" + OF + " AND at < ?", kept)
                + update(open, "DELETE FROM intervention" + OF + " AND at < ?", counted)
                + update(open, "DELETE FROM feedback" + OF + " AND at < ? AND record IS NULL", counted);
    }

    /** Returns all accounts with data. */
    List<Account> accounts() {
        String sql = "SELECT owner, user FROM intervention UNION SELECT owner, user FROM feedback"
                + " UNION SELECT owner, user FROM audit";
        return database.read(
                PolicyDatabase.SERVER,
                open -> query(open, sql, row -> new Account(row.getString(1), row.getString(2))));
    }

    /**
     * One row kept of an account.
     *
     * @param id grows with each row
     * @param accepted of feedback; else false
     * @param json null for feedback without a record
     */
    record Row(long id, Instant at, boolean accepted, @Nullable String json) {
        private static Row of(ResultSet row) throws SQLException {
            return new Row(row.getLong(1), Instant.ofEpochMilli(row.getLong(2)), row.getBoolean(3), row.getString(4));
        }
    }

    /** Returns audit entries below an id, newest first, without expired ones. */
    List<Row> audit(Account account, Instant since, long before, int limit) {
        return rows(
                account,
                "SELECT id, at, 0, entry FROM audit" + OF + " AND at >= ? AND id < ? ORDER BY id DESC LIMIT ?",
                account.owner(),
                account.user(),
                since.toEpochMilli(),
                before,
                limit);
    }

    /** Returns feedback above an id, oldest first. */
    List<Row> feedback(Account account, long after, int limit) {
        String sql = "SELECT id, at, accepted, record FROM feedback" + OF + " AND id > ? ORDER BY id LIMIT ?";
        return rows(account, sql, account.owner(), account.user(), after, limit);
    }

    /** Returns interventions above an id, oldest first; without JSON. */
    List<Row> interventions(Account account, long after, int limit) {
        String sql = "SELECT id, at, 0, NULL FROM intervention" + OF + " AND id > ? ORDER BY id LIMIT ?";
        return rows(account, sql, account.owner(), account.user(), after, limit);
    }

    private List<Row> rows(Account account, String sql, Object... values) {
        return database.read(account.owner(), open -> query(open, sql, Row::of, values));
    }

    /**
     * Stores feedback, and its record with its images if they fit.
     *
     * @param record null where only the answer counts
     * @param mostBytes of all records and images of the account
     * @return whether the record was kept
     */
    boolean addFeedback(Account account, Instant now, boolean accepted, @Nullable Kept record, long mostBytes) {
        return database.write(account.owner(), open -> {
            database.requireRoom(open, account.owner(), record == null ? 0 : record.bytes());
            boolean fits = record != null && bytes(open, account) + record.bytes() <= mostBytes;
            update(
                    open,
                    "INSERT INTO feedback (owner, user, at, accepted, record) VALUES (?, ?, ?, ?, ?)",
                    account.owner(),
                    account.user(),
                    now.toEpochMilli(),
                    accepted ? 1 : 0,
                    fits && record != null ? record.json() : null);
            if (fits && record != null) {
                String sql = "INSERT OR IGNORE INTO picture (owner, user, name, bytes) VALUES (?, ?, ?, ?)";
                for (Map.Entry<String, byte[]> picture : record.pictures().entrySet()) {
                    update(open, sql, account.owner(), account.user(), picture.getKey(), picture.getValue());
                }
            }
            return fits;
        });
    }

    /**
     * A record to keep.
     *
     * @param pictures content by the name in the record
     */
    record Kept(String json, Map<String, byte[]> pictures) {
        private long bytes() {
            return json.getBytes(StandardCharsets.UTF_8).length
                    + pictures.values().stream()
                            .mapToLong(bytes -> bytes.length)
                            .sum();
        }
    }

    private static long bytes(Connection open, Account account) throws SQLException {
        return number(
                open,
                "SELECT (SELECT coalesce(sum(octet_length(record)), 0) FROM feedback WHERE owner = ?1 AND user = ?2)"
                        + " + (SELECT coalesce(sum(octet_length(bytes)), 0) FROM picture WHERE owner = ?1 AND user = ?2)",
                account.owner(),
                account.user());
    }

    /** Returns the names of an account's images. */
    List<String> pictures(Account account) {
        String sql = "SELECT name FROM picture" + OF + " ORDER BY name";
        return database.read(
                account.owner(), open -> query(open, sql, row -> row.getString(1), account.owner(), account.user()));
    }

    /** Returns an image's content, or null if the account has none of that name. */
    byte @Nullable [] picture(Account account, String name) {
        String sql = "SELECT bytes FROM picture" + OF + " AND name = ?";
        List<byte[]> found = database.read(
                account.owner(),
                open -> query(open, sql, row -> row.getBytes(1), account.owner(), account.user(), name));
        return found.isEmpty() ? null : found.get(0);
    }

    /** Returns the bytes of the largest record, picture or entry of an account. */
    long largest(Account account) {
        String sql =
                "SELECT max((SELECT ifnull(max(octet_length(record)), 0) FROM feedback WHERE owner = ?1 AND user = ?2),"
                        + " (SELECT ifnull(max(octet_length(bytes)), 0) FROM picture WHERE owner = ?1 AND user = ?2),"
                        + " (SELECT ifnull(max(octet_length(entry)), 0) FROM audit WHERE owner = ?1 AND user = ?2))";
        return database.read(account.owner(), open -> number(open, sql, account.owner(), account.user()));
    }

    /** Numbers of rows erased. */
    record Erased(int interventions, int feedback, int pictures, int audit) {
        boolean any() {
            return interventions + feedback + pictures + audit > 0;
        }
    }

    /** Erases all data of an account; {@link Cleaning} must be notified. */
    Erased erase(Account account) {
        return database.write(
                account.owner(),
                open -> new Erased(
                        erase(open, "intervention", account),
                        erase(open, "feedback", account),
                        erase(open, "picture", account),
                        erase(open, "audit", account)));
    }

    private static int erase(Connection open, String table, Account account) throws SQLException {
        return update(open, "DELETE FROM " + table + OF, account.owner(), account.user());
    }
}
