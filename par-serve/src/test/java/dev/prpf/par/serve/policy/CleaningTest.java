package dev.prpf.par.serve.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.UnavailableException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CleaningTest {
    private static final Account ANN = new Account("local", "ann");
    private static final Account BOB = new Account("local", "bob");

    @TempDir
    private Path folder;

    private final Policies.HandClock clock = new Policies.HandClock(Policies.NOON);

    private PolicySettings settings() {
        return new PolicySettings(folder, 200, 64, 64);
    }

    private Connection another() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + folder.resolve(PolicyDatabase.FILE));
    }

    /** Feedback with a picture that begins with the account's name. */
    private static void keep(UserState state, Account account, String name, int bytes) {
        byte[] picture = Arrays.copyOf((account.user() + "Secret" + name).getBytes(StandardCharsets.UTF_8), bytes);
        UserState.Kept record = new UserState.Kept("{\"a\":\"" + account.user() + "Record\"}", Map.of(name, picture));
        assertThat(state.addFeedback(account, Policies.NOON, true, record, 1L << 30))
                .isTrue();
    }

    private static long freePages(PolicyDatabase database) {
        return database.<Long>read(PolicyDatabase.SERVER, open -> PolicyDatabase.number(open, "PRAGMA freelist_count"));
    }

    /** A large database's file is rewritten once an hour; erased rows are overwritten before each answer to an erasure. */
    @Test
    void aLargeFileIsWrittenAnewOnceAnHour() {
        try (PolicyDatabase database = PolicyDatabase.open(settings(), Policies.ALL)) {
            UserState state = new UserState(database);
            Cleaning cleaning = new Cleaning(database, clock);
            for (int i = 0; i < 18; i++) {
                keep(state, BOB, i + ".png", 1 << 20);
                keep(state, ANN, i + ".png", 5000);
            }
            state.erase(ANN);
            cleaning.erased();
            cleaning.clean(false);
            assertThat(Policies.bytes(folder))
                    .doesNotContain("annSecret", "annRecord")
                    .contains("bobSecret17");
            assertThat(freePages(database))
                    .as("it was written anew when it was opened")
                    .isPositive();
            assertThat(cleaning.pending()).isTrue();
            clock.advance(Duration.ofHours(1));
            cleaning.clean(false);
            assertThat(freePages(database)).isZero();
            assertThat(cleaning.pending()).isFalse();
            keep(state, ANN, "late.png", 5000);
            state.erase(ANN);
            cleaning.erased();
            cleaning.clean(false);
            assertThat(freePages(database)).isPositive();
            cleaning.clean(true);
            assertThat(freePages(database)).as("a sweep does not wait").isZero();
        }
    }

    @Test
    void aSmallFileIsWrittenAnewAtOnce() {
        try (PolicyDatabase database = PolicyDatabase.open(settings(), Policies.ALL)) {
            UserState state = new UserState(database);
            Cleaning cleaning = new Cleaning(database, clock);
            for (int i = 0; i < 3; i++) {
                keep(state, ANN, "a.png", 5000);
                state.erase(ANN);
                cleaning.erased();
                cleaning.clean(false);
                assertThat(freePages(database)).isZero();
                assertThat(Policies.bytes(folder)).doesNotContain("ann");
            }
        }
    }

    /** A second erasure, reported while the first one is cleaned, is cleaned by the next call. */
    @Test
    void whatIsToldMeanwhileIsCleanedNext() {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        Clock telling = new Clock() {
            @Override
            public Instant instant() {
                meanwhile.getAndSet(() -> {}).run();
                return Policies.NOON;
            }

            @Override
            public ZoneId getZone() {
                return clock.getZone();
            }

            @Override
            public Clock withZone(ZoneId zone) {
                throw new UnsupportedOperationException();
            }
        };
        try (PolicyDatabase database = PolicyDatabase.open(settings(), Policies.ALL)) {
            Cleaning cleaning = new Cleaning(database, telling);
            cleaning.clean(true);
            cleaning.erased();
            meanwhile.set(cleaning::erased);
            cleaning.clean(false);
            assertThat(cleaning.pending()).isTrue();
            cleaning.clean(false);
            assertThat(cleaning.pending()).isFalse();
        }
    }

    @Test
    void whatFailedIsDoneNextTimeThoughNothingIsLeftToErase() throws SQLException {
        try (UserPolicies policies = Policies.open(folder, settings(), clock)) {
            keep(policies.state(), ANN, "a.png", 5000);
            try (Connection reader = another();
                    Statement statement = reader.createStatement()) {
                statement.execute("BEGIN");
                statement.executeQuery("SELECT count(*) FROM feedback").close();
                assertThatThrownBy(() -> policies.erase(ANN)).isInstanceOf(UnavailableException.class);
                assertThat(Policies.bytes(folder)).contains("annSecret");
                statement.execute("ROLLBACK");
            }
            assertThat(policies.erase(ANN)).isEqualTo(new UserState.Erased(0, 0, 0, 0));
            assertThat(Policies.bytes(folder)).doesNotContain("annSecret", "annRecord");
        }
    }
}
