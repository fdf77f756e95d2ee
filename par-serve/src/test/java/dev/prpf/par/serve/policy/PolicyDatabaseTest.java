package dev.prpf.par.serve.policy;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.KeyShare;
import dev.prpf.par.serve.policy.InterventionPolicy.Admission;
import dev.prpf.par.serve.policy.InterventionPolicy.Moment;
import dev.prpf.par.serve.policy.UserPolicies.Outage;
import dev.prpf.par.serve.policy.UserPolicies.PolicySettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyDatabaseTest {
    @TempDir
    private Path folder;

    private final Policies.HandClock clock = new Policies.HandClock(Policies.NOON);

    private UserPolicies open(String... overrides) {
        return Policies.open(folder, clock, overrides);
    }

    private Path database() {
        return folder.resolve("state").resolve("policy.db");
    }

    private Connection another() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + database());
    }

    private void execute(String... statements) throws IOException, SQLException {
        Files.createDirectories(database().resolveSibling("."));
        try (Connection connection = another();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
        Files.setPosixFilePermissions(database(), PosixFilePermissions.fromString("rw-------"));
    }

    private void refused(ExitCode code, String message) {
        assertThatThrownBy(this::open)
                .hasMessageContaining(message)
                .extracting(e -> ExitCode.of((PrpfException) e))
                .isEqualTo(code);
    }

    @Test
    void filesAreItsOwnersAlone() throws IOException {
        try (UserPolicies policies = open()) {
            Policies.intervene(policies, Policies.moment("ann"));
            try (var files = Files.list(folder.resolve("state"))) {
                assertThat(files.toList()).hasSizeGreaterThanOrEqualTo(3).allSatisfy(file -> assertThat(
                                PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .as(file.toString())
                        .isEqualTo("rw-------"));
            }
        }
        Files.setPosixFilePermissions(
                folder.resolve("state").resolve("policy.key"), PosixFilePermissions.fromString("rw-r--r--"));
        refused(ExitCode.UNAVAILABLE, "policy.key: other users of this machine may read or change it; chmod 600 ");
    }

    @Test
    void aFileThatIsNoDatabaseIsRefusedAndLeftAsItIs() throws IOException {
        Files.createDirectories(database().resolveSibling("."));
        Files.writeString(database(), "These are notes of somebody, not a database of any kind. ".repeat(20));
        Files.setPosixFilePermissions(database(), PosixFilePermissions.fromString("rw-------"));
        byte[] before = Files.readAllBytes(database());
        refused(ExitCode.BAD_DATA, "this is not a policy database: move it away");
        assertThat(Files.readAllBytes(database())).isEqualTo(before);
    }

    @Test
    void anotherProgramsDatabaseIsRefusedAndLeftAsItIs() throws IOException, SQLException {
        execute("CREATE TABLE theirs (a INTEGER)", "PRAGMA application_id = 7");
        byte[] before = Files.readAllBytes(database());
        refused(ExitCode.BAD_DATA, "is another program's database: its application id is 7, must be 1347571782");
        assertThat(Files.readAllBytes(database())).isEqualTo(before);
    }

    @Test
    void aSchemaOfAnotherVersionIsRefused() throws IOException, SQLException {
        open().close();
        execute("PRAGMA user_version = 2");
        refused(ExitCode.BAD_DATA, "its schema is of version 2, this program knows 3");
    }

    @Test
    void aKeyThatIsNoneIsRefused() throws IOException {
        open().close();
        Files.writeString(folder.resolve("state").resolve("policy.key"), "secret");
        refused(ExitCode.BAD_DATA, "policy.key: holds no key, must be 64 hexadecimal digits");
    }

    @Test
    void aFolderThatIsAFileIsRefused() throws IOException {
        Files.writeString(folder.resolve("state"), "");
        refused(ExitCode.UNAVAILABLE, "cannot write");
    }

    @Test
    void aLockedDatabaseAtTheStartIsRefused() throws SQLException {
        open().close();
        try (Connection other = another();
                Statement statement = other.createStatement()) {
            statement.execute("PRAGMA locking_mode = EXCLUSIVE");
            statement.execute("BEGIN EXCLUSIVE");
            refused(ExitCode.UNAVAILABLE, "policy.db: ");
        }
    }

    private static void unavailable(ThrowingCallable work) {
        assertThatThrownBy(work)
                .isInstanceOf(ApiException.class)
                .hasMessage("the audit of this decision cannot be written now, so nothing is recommended")
                .extracting(e -> ((ApiException) e).status())
                .isEqualTo(503);
    }

    /** A lock of another program means no intervention and one line in the log, until it is released. */
    @Test
    void aLockedDatabaseMeansNoIntervention() throws SQLException {
        try (Policies.Log log = new Policies.Log();
                UserPolicies policies = open();
                Connection other = another();
                Statement statement = other.createStatement()) {
            Admission admission = policies.admit(Policies.moment("ann"));
            statement.execute("BEGIN IMMEDIATE");
            for (int i = 0; i < 3; i++) {
                assertThat(policies.admit(Policies.moment("ann")).silence())
                        .as("reading works")
                        .isNull();
                unavailable(() -> policies.record(admission, Policies.shown(), null));
                assertThat(policies.record(admission, Policies.silent("below-threshold"), null)
                                .entry())
                        .as("silence is answered, without an entry")
                        .isNull();
            }
            assertThat(log.errors())
                    .singleElement()
                    .asString()
                    .contains("policy database " + database(), "locked", "no intervention is made");
            statement.execute("ROLLBACK");
            assertThat(policies.record(admission, Policies.shown(), null).silence())
                    .isNull();
            assertThat(log.lines()).contains("INFO the policy database can be used again");
            assertThat(policies.state().interventions(new Account("local", "ann"), 0, 10))
                    .as("only what was answered counts")
                    .hasSize(1);
        }
    }

    /** A request waits once for the timeout: for its turn, and then for another program. */
    @Test
    void aRequestWaitsForTheTimeoutInAll() throws Exception {
        PolicySettings settings = new PolicySettings(folder.resolve("state"), 800, 8, 1);
        try (PolicyDatabase database = PolicyDatabase.open(settings, Policies.ALL);
                Connection other = another();
                Statement statement = other.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            CountDownLatch reads = new CountDownLatch(1);
            Thread reader = new Thread(() -> database.read("other", () -> {
                reads.countDown();
                await(500);
                return 1;
            }));
            reader.start();
            reads.await();
            long began = System.nanoTime();
            assertThatThrownBy(() -> database.write("local", () -> 1)).hasMessageContaining("locked");
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(ofMillis(700), ofMillis(1250));
            reader.join();
        }
    }

    @Test
    void anOutageIsToldOnceAnHour() {
        Outage outage = new Outage(clock);
        try (Policies.Log log = new Policies.Log()) {
            outage.over();
            outage.report(new UnavailableException("why"));
            clock.advance(Duration.ofMinutes(59));
            outage.report(new UnavailableException("why"));
            assertThat(log.errors()).hasSize(1);
            clock.advance(Duration.ofMinutes(1));
            outage.report(new UnavailableException("why"));
            assertThat(log.errors()).hasSize(2);
            outage.over();
            outage.over();
            outage.report(new UnavailableException("why"));
            assertThat(log.errors()).hasSize(3);
            assertThat(log.lines()).hasSize(4);
        }
    }

    @Test
    void aDatabaseThatIsGoneMeansSilence() {
        try (Policies.Log log = new Policies.Log()) {
            UserPolicies policies = open();
            policies.close();
            assertThat(policies.admit(Policies.moment("ann")).silence()).isEqualTo("policy-unavailable");
            assertThat(policies.admit(new Moment("local", "ann", Policies.sample(), true))
                            .silence())
                    .as("what a user asks for needs no database")
                    .isNull();
            assertThat(log.errors()).hasSize(1);
        }
    }

    private static final TraceStep LONG = new TraceStep.Caption("x".repeat(50_000));

    @Test
    void aFullDatabaseMeansNoInterventionUntilSomethingIsErased() {
        PolicySettings small = new PolicySettings(folder.resolve("state"), 200, 1, 1);
        try (Policies.Log log = new Policies.Log();
                UserPolicies policies = Policies.open(folder, small, clock, "audit.content=true")) {
            Admission bob = policies.admit(new Moment("local", "bob", Policies.sample("", "", "", LONG), false));
            for (int i = 0; i < 30; i++) {
                policies.record(bob, Policies.silent("below-threshold"), null);
            }
            Admission ann = policies.admit(Policies.moment("ann"));
            fill(policies, ann);
            unavailable(() -> policies.record(ann, Policies.shown(), null));
            assertThat(log.errors()).first().asString().contains("full");
            assertThat(policies.erase(new Account("local", "bob")).audit()).isPositive();
            assertThat(policies.record(ann, Policies.shown(), null).silence()).isNull();
        }
    }

    /** Adds small entries until none fits. */
    private static void fill(UserPolicies policies, Admission admission) {
        for (int i = 0; policies.record(admission, Policies.silent("x"), null).entry() != null; i++) {
            assertThat(i).isLessThan(200);
        }
    }

    @Test
    void aKeyThatFillsItsShareSilencesItsOwnUsersOnly() {
        PolicySettings small = new PolicySettings(folder.resolve("state"), 200, 2, 1);
        KeyShare share = new KeyShare(small.maxDatabaseBytes(), true);
        Moment large = new Moment("filling", "bob", Policies.sample("", "", "", LONG), false);
        Moment other = new Moment("other", "bob", Policies.sample(), false);
        try (Policies.Log log = new Policies.Log()) {
            for (int run = 0; run < 2; run++) { // the share outlives a restart
                try (UserPolicies policies = Policies.open(folder, small, share, clock, "audit.content=true")) {
                    Admission filling = policies.admit(large);
                    for (int i = 0; i < 60; i++) {
                        policies.record(filling, Policies.silent("below-threshold"), null);
                    }
                    unavailable(() -> policies.record(filling, Policies.shown(), null));
                    for (int i = 0; i < 20; i++) {
                        assertThat(Policies.intervene(policies, other)).isNull();
                    }
                    unavailable(() -> policies.record(filling, Policies.shown(), null));
                }
            }
            assertThat(log.errors()).allSatisfy(line -> assertThat(line)
                    .contains("the key \"filling\" holds", "more than three times what is free; erase something"));
            try (UserPolicies policies = Policies.open(folder, small, share, clock)) {
                assertThat(policies.erase(new Account("filling", "bob")).audit())
                        .isBetween(20, 40);
                assertThat(Policies.intervene(policies, large)).isNull();
            }
        }
    }

    @Test
    void ownersTakeTurns() throws Exception {
        try (PolicyDatabase database =
                PolicyDatabase.open(new PolicySettings(folder.resolve("state"), 2000, 8, 1), Policies.ALL)) {
            AtomicInteger reads = new AtomicInteger();
            PolicyDatabase.Work<Integer> slow = () -> {
                await(30);
                return reads.incrementAndGet();
            };
            List<Thread> greedy = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                greedy.add(new Thread(() -> database.read("greedy", slow)));
            }
            greedy.forEach(Thread::start);
            await(100);
            int before = reads.get();
            database.read("other", () -> 1);
            assertThat(reads.get() - before)
                    .as("one that reads and one that waits")
                    .isLessThanOrEqualTo(2);
            for (Thread one : greedy) {
                one.join();
            }
            assertThat(reads).hasValue(30);
        }
    }

    private static void await(long millis) {
        LockSupport.parkNanos(millis * 1_000_000);
    }

    /** SQLite refuses a page, as on a full disk: nothing of the write stays, and erasing and later writes succeed. */
    @Test
    void aWriteThatFindsTheFileFullLeavesNothing() {
        PolicySettings settings = new PolicySettings(folder.resolve("state"), 200, 8, 1);
        Account ann = new Account("local", "ann");
        UserState.Kept large = new UserState.Kept("{}", Map.of("p", new byte[100_000]));
        try (PolicyDatabase database = PolicyDatabase.open(settings, Policies.ALL)) {
            UserState state = new UserState(database);
            state.addFeedback(ann, new UserState.Answer(true, Policies.NOON), null, 0);
            String most = "PRAGMA max_page_count = ";
            database.<Long>read("local", () -> database.number(most + database.number("PRAGMA page_count")));
            assertThatThrownBy(() -> state.addFeedback(ann, new UserState.Answer(true, Policies.NOON), large, 1 << 20))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("full");
            assertThat(state.erase(ann)).isEqualTo(new UserState.Erased(0, 1, 0, 0));
            database.<Long>read("local", () -> database.number(most + 8192));
            assertThat(state.addFeedback(ann, new UserState.Answer(true, Policies.NOON), large, 1 << 20))
                    .isNull();
        }
    }

    @Test
    void aTransactionThatFailsLeavesNothing() {
        try (PolicyDatabase database =
                PolicyDatabase.open(new PolicySettings(folder.resolve("state"), 200, 8, 1), Policies.ALL)) {
            String insert = "INSERT INTO owner VALUES (?, 1)";
            assertThatThrownBy(() -> database.write("local", () -> {
                        database.update(insert, "a");
                        return database.update(insert, "a");
                    }))
                    .hasMessageContaining("UNIQUE constraint failed: owner.name")
                    .isInstanceOf(UnavailableException.class);
            assertThat(database.<Long>read("local", () -> database.number("SELECT count(*) FROM owner")))
                    .isZero();
            assertThat(database.<Integer>write("local", () -> database.update(insert, "a")))
                    .isOne();
        }
    }
}
