package dev.prpf.par.serve.policy;

import dev.prpf.par.serve.policy.InterventionPolicy.Recorded;
import dev.prpf.par.serve.policy.UserRules.History;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;

/**
 * Stores the rows of accounts in the database: decisions ({@code shown}, {@code silent}), answers ({@code accepted}, {@code rejected}) and images
 * ({@code image}). Every method is one transaction, or one for each batch of deleted rows and each part of an image. It throws {@link
 * dev.prpf.base.error.PrpfException.UnavailableException} where the database cannot be used.
 *
 * <p>SQLite overwrites a row when it deletes it, but a row that it moved between pages may stay in the unused part of a page. Therefore each row is
 * padded to whole pages: a page has bytes of one row only, and no unused part. Indexes have salted hashes of names, and times.
 */
final class UserState {
    /** The reason for silence, and for feedback that is not kept, of a request that began before the end of its user's erasure. */
    static final String ERASED = "user-erased";

    /** The reason for a record that is not kept because the user's records are too large. */
    static final String FULL = "max-feedback-mb";

    /** Bytes of an image that one row holds, so that other keys soon get a turn. */
    static final int PART_BYTES = 1 << 18;

    private static final Duration LONGEST_REQUEST = Duration.ofHours(1);

    static final List<String> SCHEMA = List.of(
            "CREATE TABLE item (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, user TEXT NOT NULL, account BLOB NOT NULL,"
                    + " kind INTEGER NOT NULL, at INTEGER NOT NULL, name TEXT, mark BLOB, size INTEGER NOT NULL,"
                    + " content BLOB NOT NULL) STRICT",
            "CREATE INDEX item_of ON item (account, kind)",
            "CREATE INDEX item_at ON item (account, kind, at)",
            "CREATE UNIQUE INDEX item_mark ON item (mark) WHERE mark IS NOT NULL",
            "CREATE TABLE owner (name TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT",
            "CREATE TRIGGER item_added AFTER INSERT ON item BEGIN INSERT INTO owner VALUES (new.owner, 1024 + new.size)"
                    + " ON CONFLICT (name) DO UPDATE SET bytes = bytes + excluded.bytes; END",
            "CREATE TRIGGER item_changed AFTER UPDATE OF size ON item BEGIN"
                    + " UPDATE owner SET bytes = bytes + new.size - old.size WHERE name = old.owner; END",
            "CREATE TRIGGER item_removed AFTER DELETE ON item BEGIN"
                    + " UPDATE owner SET bytes = bytes - 1024 - old.size WHERE name = old.owner; END",
            "CREATE TABLE salt (salt TEXT NOT NULL) STRICT",
            "INSERT INTO salt VALUES (hex(randomblob(32)))");

    private static final int SHOWN = 1;
    private static final int SILENT = 2;
    private static final int ACCEPTED = 3;
    private static final int REJECTED = 4;
    private static final int IMAGE = 5;
    /** Marks an erasure that is under way: the account's rows up to this one are to be deleted. */
    private static final int ERASING = 6;
    /** A further part of an image, {@code NAME/NUMBER}. The row of kind {@link #IMAGE} is added last; until then no part is read. */
    private static final int PART = 7;

    private static final String AUDIT = rows("id < ?2 AND at >= ?4 AND size > 0", "DESC", SHOWN, SILENT);
    private static final String FEEDBACK = rows("id > ?2", "ASC", ACCEPTED, REJECTED);
    private static final String INTERVENTIONS = rows("id > ?2 AND size > 0", "ASC", SHOWN);
    private static final String OF = " WHERE account = ? AND kind = ?";
    private static final String EXPIRED = "kind = ?2 AND at < ?3";
    private static final String WHOLE = "substr(name, 1, instr(name || '/', '/') - 1)";
    private static final String ORPHANED =
            EXPIRED + " AND " + WHOLE + " NOT IN (SELECT name FROM item WHERE account = ?1 AND kind = " + IMAGE + ")";

    /** Bytes of a row, header included, that its first page holds; SQLite holds at most 35 bytes less than a page. */
    private static final int FIRST = PolicyDatabase.PAGE - 35 - 12;
    /** Bytes of a row on each further page. */
    private static final int FURTHER = PolicyDatabase.PAGE - 4;

    private static final int MARK_BYTES = 16;
    /** Bytes of a row without its texts and content, give or take 8: its header, the account, the time and the size. */
    private static final int FIXED = 40;

    private final PolicyDatabase database;
    private final Map<Account, Long> erased = new ConcurrentHashMap<>();
    private final String salt;

    UserState(PolicyDatabase database) {
        this.database = database;
        salt = database.read(
                PolicyDatabase.SERVER, () -> database.query("SELECT salt FROM salt", row -> row.getString(1))
                        .get(0));
    }

    /** Merges kinds in the order of ids, lazily. */
    private static String rows(String condition, String order, int... kinds) {
        return IntStream.of(kinds)
                .mapToObj(kind ->
                        "SELECT id, at, kind, CAST(substr(content, 1, size) AS TEXT) FROM item INDEXED BY item_of"
                                + " WHERE account = ?1 AND kind = " + kind + " AND " + condition)
                .collect(Collectors.joining(" UNION ALL ", "", " ORDER BY id " + order + " LIMIT ?3"));
    }

    private byte[] account(Account account) {
        return mark(account, "");
    }

    /** Returns a salted hash in place of an account, or of the name of one of its images. */
    private byte[] mark(Account account, String name) {
        String text = String.join("\0", salt, account.owner(), account.user(), name);
        return Arrays.copyOf(DigestUtils.sha256(text), MARK_BYTES);
    }

    History history(Account account, Instant dayBegan) {
        return database.read(account.owner(), () -> past(account, dayBegan));
    }

    private History past(Account account, Instant dayBegan) throws SQLException {
        String of = " FROM item INDEXED BY item_at WHERE account = ?1 AND kind = ";
        String sql = "SELECT (SELECT count(*)" + of + "?2 AND at >= ?4), (SELECT max(at)" + of + "?2),"
                + " (SELECT max(at)" + of + "?3)";
        return database.query(
                        sql,
                        row -> new History(row.getInt(1), instant(row, 2), instant(row, 3)),
                        account(account),
                        SHOWN,
                        REJECTED,
                        dayBegan.toEpochMilli())
                .get(0);
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        long millis = row.getLong(column);
        return row.wasNull() ? null : Instant.ofEpochMilli(millis);
    }

    /**
     * Adds the entry of a decision. Concurrent calls see each other's interventions.
     *
     * @param counting limits of an intervention, which becomes silence beyond them; null for a decision that counts for none
     * @param since {@link System#nanoTime} of the admission; no entry if the account was erased later
     */
    Recorded record(Account account, Instant now, @Nullable UserRules counting, AuditEntry entry, long since) {
        return database.write(account.owner(), () -> {
            if (isErased(account, since)) {
                return new Recorded(null, counting == null ? null : ERASED);
            }
            String limit = counting == null ? null : counting.silence(past(account, counting.dayBegan(now)), now);
            int kind = counting == null || limit != null ? SILENT : SHOWN;
            String json = (limit == null ? entry : entry.silenced(limit)).json();
            return new Recorded(insert(new Item(account, kind, null, utf8(json)), now), limit);
        });
    }

    private boolean isErased(Account account, long since) {
        Long end = erased.get(account);
        return end != null && end - since >= 0;
    }

    /** Replaces an entry; no-op if the account was erased. */
    void replace(Account account, long id, boolean shown, AuditEntry entry) {
        Item item = new Item(account, shown ? SHOWN : SILENT, null, utf8(entry.json()));
        database.write(account.owner(), () -> {
            database.requireRoom(account.owner(), PolicyDatabase.PAGE + item.content.length);
            String sql = "UPDATE item SET kind = ?, size = ?, content = ? WHERE id = ? AND account = ?";
            return database.update(sql, item.kind, item.content.length, item.padded(), id, account(account));
        });
    }

    /** A row to add; {@code name} is null unless it is an image or a part of one. */
    private record Item(Account account, int kind, @Nullable String name, byte[] content) {
        /**
         * Returns the content with zeros, so that the row fills its pages. The beginning of its first page may keep some bytes of another row's
         * header, which has lengths only.
         */
        byte[] padded() {
            int named = name == null ? 0 : name.length() + MARK_BYTES;
            int others = FIXED + utf8(account.owner() + account.user()).length + named;
            int further = Math.max(0, others + content.length - FIRST + FURTHER - 1) / FURTHER;
            return Arrays.copyOf(content, FIRST + further * FURTHER - others);
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Adds a row if there is room. A part that is there already gets the new id and time instead, after those of an erasure under way. Ids are
     * microseconds, so that they reveal nothing of other accounts.
     */
    private long insert(Item item, Instant now) throws SQLException {
        if (item.kind != ERASING) {
            database.requireRoom(item.account.owner(), PolicyDatabase.PAGE + item.content.length);
        }
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, now);
        long id = Math.max(micros, 1 + database.number("SELECT ifnull(max(id), 0) FROM item"));
        database.update(
                "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (mark) WHERE mark IS NOT NULL"
                        + " DO UPDATE SET id = excluded.id, at = excluded.at",
                id,
                item.account.owner(),
                item.account.user(),
                account(item.account),
                item.kind,
                now.toEpochMilli(),
                item.name,
                item.name == null ? null : mark(item.account, item.name),
                item.content.length,
                item.padded());
        return id;
    }

    /** Selects the account's next rows of a condition, at most 1,000 and about 1 MiB, so that other keys soon get a turn. */
    private static String batch(String condition) {
        return " WHERE id IN (SELECT id FROM (SELECT id, sum(1024 + size) OVER (ROWS UNBOUNDED PRECEDING) - size AS before"
                + " FROM (SELECT id, size FROM item INDEXED BY item_at WHERE account = ?1 AND " + condition
                + " ORDER BY kind, at, id LIMIT 1000)) WHERE before < 1048576)";
    }

    /**
     * Drops expired rows: entries, and times that no limit counts from. An intervention that counts longer than its entry is kept has no entry then.
     * Also completes an erasure that was interrupted.
     */
    void expire(Account account, UserRules rules, Instant now) {
        completeErasure(account, new int[PART + 1]);
        while (database.write(account.owner(), () -> expireBatch(account, rules, now)) > 0) {
            // the next batch
        }
    }

    private int expireBatch(Account account, UserRules rules, Instant now) throws SQLException {
        byte[] of = account(account);
        long kept = rules.keptSince(now).toEpochMilli();
        long counted = rules.countedSince(now).toEpochMilli();
        long orphaned = now.minus(LONGEST_REQUEST).toEpochMilli();
        byte[] blank = new Item(account, SHOWN, null, new byte[0]).padded();
        String drop = "DELETE FROM item" + batch(EXPIRED);
        String blanked = "UPDATE item SET size = 0, content = ?4" + batch(EXPIRED + " AND size > 0");
        String answers = "DELETE FROM item" + batch(EXPIRED + " AND size = 0");
        return database.update(drop, of, SILENT, kept)
                + database.update(drop, of, SHOWN, counted)
                + database.update(blanked, of, SHOWN, kept, blank)
                + database.update(answers, of, ACCEPTED, counted)
                + database.update(answers, of, REJECTED, counted)
                + database.update("DELETE FROM item" + batch(ORPHANED), of, PART, orphaned);
    }

    List<Account> accounts() {
        String sql = "SELECT owner, user FROM item WHERE id IN (SELECT min(id) FROM item GROUP BY account)";
        return database.read(
                PolicyDatabase.SERVER,
                () -> database.query(sql, row -> new Account(row.getString(1), row.getString(2))));
    }

    /**
     * One stored row of an account.
     *
     * @param accepted whether feedback was positive; false for other rows
     * @param json empty for feedback without a record
     */
    record Row(long id, Instant at, boolean accepted, String json) {
        private static Row of(ResultSet row) throws SQLException {
            boolean accepted = row.getInt(3) == ACCEPTED;
            return new Row(row.getLong(1), Instant.ofEpochMilli(row.getLong(2)), accepted, row.getString(4));
        }
    }

    /** Returns audit entries below an id, newest first, without expired ones. */
    List<Row> audit(Account account, Instant since, long before, int limit) {
        return rows(account, AUDIT, before, limit, since.toEpochMilli());
    }

    List<Row> feedback(Account account, long after, int limit) {
        return rows(account, FEEDBACK, after, limit);
    }

    List<Row> interventions(Account account, long after, int limit) {
        return rows(account, INTERVENTIONS, after, limit);
    }

    private List<Row> rows(Account account, String sql, Object... values) {
        Object[] all =
                Stream.concat(Stream.of(account(account)), Stream.of(values)).toArray();
        return database.read(account.owner(), () -> database.query(sql, Row::of, all));
    }

    /**
     * A user's answer to a recommendation.
     *
     * @param since {@link System#nanoTime} at the begin of its request
     */
    record Answer(boolean accepted, Instant at, long since) {
        Answer(boolean accepted, Instant at) {
            this(accepted, at, System.nanoTime());
        }
    }

    /**
     * Stores feedback, and its record with its images if they fit. Other keys get turns between the parts of its images. The last transaction checks the
     * limit again, so that simultaneous records cannot exceed it together.
     *
     * @param record null where only the answer counts
     * @param mostBytes maximum bytes of all records and images of the account
     * @return null, or why the record was not kept: {@link #FULL}, or {@link #ERASED}, where the answer does not count either
     */
    @Nullable
    String addFeedback(Account account, Answer answer, @Nullable Kept record, long mostBytes) {
        int kind = answer.accepted ? ACCEPTED : REJECTED;
        Item bare = new Item(account, kind, null, new byte[0]);
        if (record == null || !hasRoom(account, record, mostBytes)) {
            String why = add(List.of(bare), answer, Long.MAX_VALUE);
            return why == null && record != null ? FULL : why;
        }
        List<Item> rows = new ArrayList<>(List.of(new Item(account, kind, null, utf8(record.json))));
        for (Map.Entry<String, byte[]> image : record.images.entrySet()) {
            for (int n = 1; n < parts(image.getValue()); n++) {
                if (add(List.of(part(account, image, n)), answer, Long.MAX_VALUE) != null) {
                    return ERASED;
                }
            }
            rows.add(part(account, image, 0));
        }
        String why = add(rows, answer, mostBytes);
        return FULL.equals(why) && add(List.of(bare), answer, Long.MAX_VALUE) != null ? ERASED : why;
    }

    private boolean hasRoom(Account account, Kept record, long mostBytes) {
        return database.read(account.owner(), () -> {
            boolean fits = feedbackBytes(account) + record.bytes() <= mostBytes;
            if (fits) {
                database.requireRoom(account.owner(), record.bytes());
            }
            return fits;
        });
    }

    private long feedbackBytes(Account account) throws SQLException {
        String sql = "SELECT ifnull(sum(size), 0) FROM item WHERE account = ? AND kind IN (?, ?, ?, ?)";
        return database.number(sql, account(account), ACCEPTED, REJECTED, IMAGE, PART);
    }

    private static int parts(byte[] image) {
        return Math.max(1, (image.length + PART_BYTES - 1) / PART_BYTES);
    }

    private static Item part(Account account, Map.Entry<String, byte[]> image, int n) {
        byte[] all = image.getValue();
        byte[] content = Arrays.copyOfRange(all, n * PART_BYTES, Math.min(all.length, (n + 1) * PART_BYTES));
        return new Item(account, n == 0 ? IMAGE : PART, part(image.getKey(), n), content);
    }

    private static String part(String name, int n) {
        return n == 0 ? name : name + "/" + n;
    }

    /**
     * Adds rows in one transaction. Returns null, or why nothing was added: {@link #ERASED} for a request that began before the end of an erasure,
     * {@link #FULL} if the account's feedback would exceed the limit.
     */
    private @Nullable String add(List<Item> rows, Answer answer, long mostBytes) {
        Account account = rows.get(0).account;
        long bytes = rows.stream().mapToLong(row -> row.content.length).sum();
        return database.<@Nullable String>write(account.owner(), () -> {
            if (isErased(account, answer.since)) {
                return ERASED;
            } else if (mostBytes < Long.MAX_VALUE && feedbackBytes(account) + bytes > mostBytes) {
                return FULL;
            }
            for (Item row : rows) {
                insert(row, answer.at);
            }
            return null;
        });
    }

    /**
     * A record to keep.
     *
     * @param images content by the name in the record
     */
    record Kept(String json, Map<String, byte[]> images) {
        private long bytes() {
            return utf8(json).length
                    + images.values().stream().mapToLong(bytes -> bytes.length).sum();
        }
    }

    List<String> images(Account account) {
        return database.read(
                account.owner(),
                () -> database.query(
                        "SELECT name FROM item" + OF + " ORDER BY name",
                        row -> row.getString(1),
                        account(account),
                        IMAGE));
    }

    /** Returns an image's content, or null if the account has none of that name. */
    byte @Nullable [] image(Account account, String name) {
        String sql = "SELECT substr(content, 1, size) FROM item WHERE mark = ?";
        ByteArrayOutputStream image = new ByteArrayOutputStream();
        boolean found = database.<Boolean>read(account.owner(), () -> {
            for (int n = 0; ; n++) {
                List<byte[]> part = database.query(sql, row -> row.getBytes(1), mark(account, part(name, n)));
                if (part.isEmpty()) {
                    return n > 0;
                }
                image.writeBytes(part.get(0));
            }
        });
        return found ? image.toByteArray() : null;
    }

    /** Returns the bytes of the largest record, image or entry of an account. */
    long largest(Account account) {
        String sql = "SELECT ifnull(max(bytes), 0) FROM"
                + " (SELECT sum(size) AS bytes FROM item WHERE account = ? GROUP BY ifnull(" + WHOLE + ", id))";
        return database.read(account.owner(), () -> database.number(sql, account(account)));
    }

    record Erased(int interventions, int feedback, int images, int audit) {}

    /** Erases all data of an account, from the file and its log too, a batch a turn. {@link #expire} completes an erasure that was interrupted. */
    Erased erase(Account account) {
        int[] rows = new int[PART + 1];
        long now = System.nanoTime();
        long later = now + LONGEST_REQUEST.toNanos();
        erased.values().removeIf(end -> now - end > LONGEST_REQUEST.toNanos());
        erased.put(account, later); // requests that write during the erasure write nothing
        try {
            database.erase(account.owner(), () -> {
                eraseBatch(account, Long.MAX_VALUE, rows);
                boolean more = database.number("SELECT count(*) FROM item WHERE account = ?", account(account)) > 0;
                return more ? insert(new Item(account, ERASING, null, new byte[0]), Instant.EPOCH) : 0;
            });
            completeErasure(account, rows);
        } finally {
            erased.replace(account, later, System.nanoTime());
        }
        return new Erased(rows[SHOWN], rows[ACCEPTED] + rows[REJECTED], rows[IMAGE], rows[0]);
    }

    private void completeErasure(Account account, int[] rows) {
        String last = "SELECT ifnull(max(id), 0) FROM item" + OF;
        byte[] of = account(account);
        while (database.<Long>read(account.owner(), () -> database.number(last, of, ERASING)) > 0) {
            database.erase(account.owner(), () -> eraseBatch(account, database.number(last, of, ERASING), rows));
        }
    }

    /** Counts the erased rows by kind, and at 0 those of the audit. */
    private int eraseBatch(Account account, long last, int[] rows) throws SQLException {
        String audited = "kind IN (" + SHOWN + ", " + SILENT + ") AND size > 0";
        String sql = "DELETE FROM item" + batch("id <= ?2") + " RETURNING kind, " + audited;
        List<int[]> erased =
                database.query(sql, row -> new int[] {row.getInt(1), row.getInt(2)}, account(account), last);
        erased.forEach(row -> rows[row[0]]++);
        rows[0] += erased.stream().mapToInt(row -> row[1]).sum();
        return erased.size();
    }
}
