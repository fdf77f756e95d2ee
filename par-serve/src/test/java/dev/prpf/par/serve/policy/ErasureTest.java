package dev.prpf.par.serve.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.serve.policy.InterventionPolicy.Moment;
import dev.prpf.par.serve.policy.UserPolicies.PolicySettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** After an erasure, no file of the folder has a byte of the erased texts and names. */
class ErasureTest {
    private static final Account ANN = new Account("local", "ann");
    private static final Account BOB = new Account("local", "bob");

    @TempDir
    private Path folder;

    private final Policies.HandClock clock = new Policies.HandClock(Policies.NOON);

    private PolicySettings settings() {
        return new PolicySettings(folder.resolve("state"), 200, 64, 64);
    }

    private UserPolicies open() {
        return Policies.open(folder, settings(), clock, "audit.content=true", "audit.keep-days=3");
    }

    private Path file(String suffix) {
        return folder.resolve("state").resolve(PolicyDatabase.FILE + suffix);
    }

    private String stored() {
        return Policies.bytes(folder.resolve("state"));
    }

    /** Stores feedback with an image that begins with the account's name. */
    private static void keep(UserState state, Account account, String name, int bytes) {
        byte[] image = Arrays.copyOf((account.user() + "Secret" + name).getBytes(StandardCharsets.UTF_8), bytes);
        UserState.Kept record = new UserState.Kept("{\"a\":\"" + account.user() + "Record\"}", Map.of(name, image));
        assertThat(state.addFeedback(account, new UserState.Answer(true, Policies.NOON), record, 1L << 30))
                .isNull();
    }

    private static final Pattern MARKER = Pattern.compile("\\[(u\\d\\d)-\\d{5}]");

    /** A text of about that length that consists of a user's markers. */
    private static String text(String user, int number, int length) {
        String marker = "[%s-%05d]".formatted(user, number);
        return marker.repeat(1 + length / marker.length());
    }

    /** Random decisions, feedback, expiry and erasures of users; the files have texts of the remaining ones only. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void noErasedByteStaysInAnyFile(long seed) {
        Random random = new Random(seed);
        Set<String> kept = new TreeSet<>();
        try (UserPolicies policies = open()) {
            for (int step = 0; step < 700; step++) {
                clock.advance(Duration.ofSeconds(random.nextInt(300)));
                String user = "u%02d".formatted(random.nextInt(25));
                int length = random.nextInt(4) == 0 ? random.nextInt(6000) : random.nextInt(300);
                String text = text(user, step, length);
                int action = random.nextInt(40);
                if (action < 30) {
                    TraceStep caption = new TraceStep.Caption(text);
                    Policies.intervene(
                            policies, new Moment("local", user, Policies.sample("", "", "", caption), false));
                    kept.add(user);
                } else if (action < 38) {
                    UserState.Kept record = new UserState.Kept(
                            "{\"a\":\"" + text + "\"}", Map.of("p" + step, text.getBytes(StandardCharsets.UTF_8)));
                    policies.state()
                            .addFeedback(
                                    new Account("local", user),
                                    new UserState.Answer(true, policies.now()),
                                    record,
                                    1 << 20);
                    kept.add(user);
                } else {
                    policies.erase(new Account("local", user));
                    kept.remove(user);
                    assertOnly(kept);
                }
            }
            policies.sweep();
            assertOnly(kept);
        }
    }

    private void assertOnly(Set<String> kept) {
        Set<String> found = new TreeSet<>();
        MARKER.matcher(stored()).results().forEach(match -> found.add(match.group(1)));
        assertThat(kept).containsAll(found);
    }

    @Test
    void expiredTextsAreOverwrittenByTheSweep() {
        try (UserPolicies policies = open()) {
            for (int i = 0; i < 200; i++) {
                TraceStep caption = new TraceStep.Caption(text("u00", i, i));
                Policies.intervene(policies, new Moment("local", "ann", Policies.sample("", "", "", caption), false));
                clock.advance(Duration.ofHours(1));
            }
            policies.sweep();
            Set<String> found = new TreeSet<>();
            MARKER.matcher(stored()).results().forEach(match -> found.add(match.group()));
            assertThat(found).hasSize(72).contains("[u00-00199]", "[u00-00128]").doesNotContain("[u00-00127]");
        }
    }

    /** A reader of the log would keep its bytes, so nothing is erased while there is one. */
    @Test
    void anErasureThatCannotEmptyTheLogErasesNothing() throws SQLException {
        try (UserPolicies policies = open()) {
            keep(policies.state(), ANN, "a.png", 5000);
            try (Connection reader = DriverManager.getConnection("jdbc:sqlite:" + file(""));
                    Statement statement = reader.createStatement()) {
                statement.execute("BEGIN");
                statement.executeQuery("SELECT count(*) FROM item").close();
                assertThatThrownBy(() -> policies.erase(ANN))
                        .isInstanceOf(UnavailableException.class)
                        .hasMessageContaining("its log could not be emptied, another program reads it");
                statement.execute("ROLLBACK");
            }
            assertThat(policies.state().feedback(ANN, 0, 10)).hasSize(1);
            assertThat(policies.erase(ANN)).isEqualTo(new UserState.Erased(0, 1, 1, 0));
            assertThat(stored()).doesNotContain("annSecret", "annRecord", "ann");
        }
    }

    /** A copy of the files as a kill between an erasure's transaction and the emptying of the log leaves them. */
    @Test
    void aStartAfterAKilledErasureEmptiesTheLog() throws IOException, SQLException {
        try (UserPolicies policies = open()) {
            keep(policies.state(), ANN, "a.png", 5000);
            keep(policies.state(), BOB, "b.png", 5000);
            try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file(""));
                    Statement statement = other.createStatement()) {
                statement.execute("PRAGMA secure_delete = ON");
                statement.execute("DELETE FROM item WHERE user = 'ann'");
                Files.createDirectory(folder.resolve("killed"));
                for (String name : new String[] {"", "-wal"}) {
                    Files.copy(file(name), folder.resolve("killed").resolve(PolicyDatabase.FILE + name));
                }
            }
        }
        assertThat(Policies.bytes(folder.resolve("killed"))).contains("annSecret");
        PolicySettings settings = new PolicySettings(folder.resolve("killed"), 200, 64, 64);
        try (UserPolicies policies = Policies.open(folder, settings, clock)) {
            assertThat(Policies.bytes(folder.resolve("killed")))
                    .doesNotContain("annSecret", "annRecord")
                    .contains("bobSecret");
            assertThat(policies.state().feedback(BOB, 0, 10)).hasSize(1);
        }
    }

    /** Makes the deletion of a user's row fail that has some rows before it, until the trigger {@code stop} is dropped. */
    private void stopErasing(int rows) throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file(""));
                Statement statement = other.createStatement()) {
            long id = statement
                    .executeQuery("SELECT id FROM item WHERE user = 'ann' ORDER BY kind, at, id LIMIT 1 OFFSET " + rows)
                    .getLong(1);
            failing("BEFORE DELETE ON item WHEN old.id = " + id);
        }
    }

    private void resumeErasing() throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file(""));
                Statement statement = other.createStatement()) {
            statement.execute("DROP TRIGGER stop");
        }
    }

    /** Rows added after an erasure began are not part of it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anInterruptedErasureIsCompletedByTheNextSweepOrCall(boolean sweep) throws SQLException {
        try (UserPolicies policies = open()) {
            for (int i = 0; i < 4; i++) {
                keep(policies.state(), ANN, i + ".png", 600_000);
            }
            keep(policies.state(), BOB, "b.png", 5000);
            stopErasing(10);
            assertThatThrownBy(() -> policies.erase(ANN))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("stopped");
            assertThat(policies.state().images(ANN)).as("parts are left").isEmpty();
            keep(policies.state(), ANN, "3.png", 600_000);
            keep(policies.state(), ANN, "new.png", 5000);
            resumeErasing();
            if (sweep) {
                policies.sweep();
                assertThat(policies.state().images(ANN)).containsExactly("3.png", "new.png");
                assertThat(policies.state().feedback(ANN, 0, 10)).hasSize(2);
                assertThat(policies.state().image(ANN, "3.png")).hasSize(600_000);
            } else {
                assertThat(policies.erase(ANN)).isEqualTo(new UserState.Erased(0, 2, 2, 0));
                assertThat(stored())
                        .doesNotContain("annSecret", "annRecord", "ann")
                        .contains("bobSecret");
            }
        }
    }

    /** A transaction for each part, so that other keys get turns between them. */
    @Test
    void aLongImageIsErasedInParts() throws SQLException {
        try (UserPolicies policies = open()) {
            keep(policies.state(), ANN, "a.png", 3 << 20);
            stopErasing(8);
            assertThatThrownBy(() -> policies.erase(ANN)).hasMessageContaining("stopped");
            assertThat(rows()).as("2 batches of 13 rows").isBetween(5, 9);
            resumeErasing();
            policies.erase(ANN);
            assertThat(rows()).isZero();
        }
    }

    @Test
    void aLongImageIsStoredInParts() throws SQLException {
        try (UserPolicies policies = open()) {
            byte[] image = new byte[3 * UserState.PART_BYTES + 5];
            new Random(1).nextBytes(image);
            UserState.Kept record = new UserState.Kept("{}", Map.of("a.png", image));
            failing("BEFORE INSERT ON item WHEN new.kind = 7 AND (SELECT count(*) FROM item) = 2");
            assertThatThrownBy(() -> policies.state().addFeedback(ANN, answer(), record, 1 << 20))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("stopped");
            assertThat(rows()).as("a transaction a part").isEqualTo(2);
            assertThat(policies.state().images(ANN)).isEmpty();
            assertThat(policies.state().image(ANN, "a.png")).isNull();
            assertThat(policies.state().feedback(ANN, 0, 10)).isEmpty();
            resumeErasing();
            clock.advance(Duration.ofMinutes(59));
            policies.sweep();
            assertThat(rows()).as("its request may still run").isEqualTo(2);
            clock.advance(Duration.ofMinutes(2));
            policies.sweep();
            assertThat(rows()).isZero();

            assertThat(policies.state().addFeedback(ANN, answer(), record, 1 << 20))
                    .isNull();
            assertThat(policies.state().addFeedback(ANN, answer(), record, 1 << 21))
                    .as("the same image again")
                    .isNull();
            clock.advance(Duration.ofHours(2));
            policies.sweep();
            assertThat(policies.state().image(ANN, "a.png")).isEqualTo(image);
            assertThat(policies.state().largest(ANN)).isEqualTo(image.length);
            assertThat(policies.erase(ANN)).isEqualTo(new UserState.Erased(0, 2, 1, 0));
            assertThat(rows()).isZero();
        }
    }

    private UserState.Answer answer() {
        return new UserState.Answer(true, clock.instant());
    }

    private int rows() throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file(""));
                Statement statement = other.createStatement()) {
            return statement.executeQuery("SELECT count(*) FROM item").getInt(1);
        }
    }

    private void failing(String when) throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file(""));
                Statement statement = other.createStatement()) {
            statement.execute("CREATE TRIGGER stop " + when + " BEGIN SELECT RAISE(ABORT, 'stopped'); END");
        }
    }

    @Test
    void anErasureOfManyRowsIsCompletedByTheNextStart() throws SQLException {
        try (UserPolicies policies = open()) {
            for (int i = 0; i < 2100; i++) {
                policies.state().addFeedback(ANN, new UserState.Answer(true, Policies.NOON), null, 0);
            }
            keep(policies.state(), ANN, "a.png", 5000);
            stopErasing(1000);
            assertThatThrownBy(() -> policies.erase(ANN)).hasMessageContaining("stopped");
            assertThat(policies.state().feedback(ANN, 0, 5000)).hasSize(1101);
            resumeErasing();
        }
        assertThat(stored()).contains("annSecret");
        try (UserPolicies policies = open()) {
            assertThat(stored()).doesNotContain("annSecret", "annRecord", "ann");
            assertThat(policies.erase(ANN)).isEqualTo(new UserState.Erased(0, 0, 0, 0));
        }
    }

    /** The pages written are those of the erased rows, whatever else the file has. */
    @Test
    void anErasureWritesThePagesOfItsRows() {
        try (UserPolicies policies = open()) {
            for (int i = 0; i < 30; i++) {
                keep(policies.state(), BOB, i + ".png", 1 << 20);
            }
            keep(policies.state(), ANN, "a.png", 5000);
            policies.sweep(); // writes the log to the file
            String before = Policies.bytes(file(""));
            policies.erase(ANN);
            String after = Policies.bytes(file(""));
            assertThat(after).hasSameSizeAs(before);
            int changed = 0;
            for (int page = 0; page < after.length(); page += PolicyDatabase.PAGE) {
                changed += after.regionMatches(page, before, page, PolicyDatabase.PAGE) ? 0 : 1;
            }
            assertThat(changed).isBetween(8, 40);
        }
    }
}
