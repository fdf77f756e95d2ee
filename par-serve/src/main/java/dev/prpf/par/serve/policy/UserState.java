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
 * What is kept of accounts, statement by statement. Every method is one transaction and throws {@link
 * dev.prpf.base.error.UnavailableException} where the database cannot be used.
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

    /** Counts an intervention unless what went before wants silence; of several at once each sees those before it. A full database counts none. */
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

    /** Forgets one intervention that was counted at that time. */
    void withdraw(Account account, Instant at) {
        String one = "DELETE FROM intervention WHERE id = (SELECT max(id) FROM intervention" + OF + " AND at = ?)";
        database.read(account.owner(), open -> update(open, one, account.owner(), account.user(), at.toEpochMilli()));
    }

    /** Adds an entry, and drops what has run out. Ids are microseconds, which do not count the entries of other accounts. */
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
     * Drops what has run out: entries of the audit, times that no limit counts from.
     *
     * @return how many
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

    /** Everybody of whom something is kept. */
    List<Account> accounts() {
        String sql = "SELECT owner, user FROM intervention UNION SELECT owner, user FROM feedback"
                + " UNION SELECT owner, user FROM audit";
        return database.read(
                PolicyDatabase.SERVER,
                open -> query(open, sql, row -> new Account(row.getString(1), row.getString(2))));
    }

    /**
     * Something kept.
     *
     * @param id grows with each
     * @param accepted of feedback; else false
     * @param json null for feedback without a record
     */
    record Row(long id, Instant at, boolean accepted, @Nullable String json) {
        private static Row of(ResultSet row) throws SQLException {
            return new Row(row.getLong(1), Instant.ofEpochMilli(row.getLong(2)), row.getBoolean(3), row.getString(4));
        }
    }

    /** Entries of the audit below an id, newest first, without those that have run out. */
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

    /** Feedback above an id, oldest first. */
    List<Row> feedback(Account account, long after, int limit) {
        String sql = "SELECT id, at, accepted, record FROM feedback" + OF + " AND id > ? ORDER BY id LIMIT ?";
        return rows(account, sql, account.owner(), account.user(), after, limit);
    }

    /** Interventions above an id, oldest first; without JSON. */
    List<Row> interventions(Account account, long after, int limit) {
        String sql = "SELECT id, at, 0, NULL FROM intervention" + OF + " AND id > ? ORDER BY id LIMIT ?";
        return rows(account, sql, account.owner(), account.user(), after, limit);
    }

    private List<Row> rows(Account account, String sql, Object... values) {
        return database.read(account.owner(), open -> query(open, sql, Row::of, values));
    }

    /**
     * Keeps feedback, and its record with its pictures where they fit.
     *
     * @param record null where only the answer counts
     * @param mostBytes of all records and pictures of the account
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
     * @param pictures content by the name that the record gives it
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

    /** Names of an account's pictures. */
    List<String> pictures(Account account) {
        String sql = "SELECT name FROM picture" + OF + " ORDER BY name";
        return database.read(
                account.owner(), open -> query(open, sql, row -> row.getString(1), account.owner(), account.user()));
    }

    /** A picture's content, or null if the account has none of that name. */
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

    /** How many rows were erased. */
    record Erased(int interventions, int feedback, int pictures, int audit) {
        boolean any() {
            return interventions + feedback + pictures + audit > 0;
        }
    }

    /** Erases everything of an account; {@link Cleaning} is to be told. */
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
