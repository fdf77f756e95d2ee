package dev.prpf.par.serve.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.serve.policy.InterventionPolicy.Moment;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random sequences of decisions, feedback, erasure and restarts against lists in memory. */
class PolicyModelTest {
    private static final int STEPS = 250;

    @TempDir
    private Path folder;

    /** The actions of one account, counted as docs/POLICY.md describes. */
    private static final class Counted {
        private final List<LocalDateTime> shown = new ArrayList<>();
        private final List<LocalDateTime> rejected = new ArrayList<>();

        @Nullable
        String silence(LocalDateTime now, int limit, int gap, int coolDown) {
            if (now.getHour() >= 23 || now.getHour() < 6) {
                return "quiet-hours";
            }
            for (LocalDateTime time : rejected) {
                if (Duration.between(time, now).toMillis() < coolDown * 60_000L) {
                    return "cool-down";
                }
            }
            for (LocalDateTime time : shown) {
                if (Duration.between(time, now).toMillis() < gap * 60_000L) {
                    return "least-gap";
                }
            }
            LocalDate day = now.toLocalDate();
            long today = shown.stream()
                    .filter(time -> time.toLocalDate().equals(day))
                    .count();
            return today >= limit ? "daily-limit" : null;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void everyDecisionIsTheModels(long seed) {
        Random random = new Random(seed);
        Policies.HandClock clock = new Policies.HandClock(Policies.NOON);
        int limit = random.nextInt(6);
        int gap = random.nextInt(90);
        int coolDown = random.nextInt(300);
        String[] rules = {
            "quiet-hours=[\"23:00-06:00\"]",
            "daily-limit=" + limit,
            "least-gap-minutes=" + gap,
            "cool-down-minutes=" + coolDown,
            "audit.keep-days=1"
        };
        Map<String, Counted> model = new HashMap<>();
        UserPolicies policies = Policies.open(folder, clock, rules);
        try {
            for (int step = 0; step < STEPS; step++) {
                clock.advance(Duration.ofMillis(random.nextInt(3_600_000)));
                String caller = "key" + random.nextInt(2);
                String user = "user" + random.nextInt(2);
                Counted account = model.computeIfAbsent(caller + "/" + user, name -> new Counted());
                LocalDateTime now = LocalDateTime.ofInstant(clock.instant(), ZoneOffset.UTC);
                int action = random.nextInt(20);
                if (action < 14) {
                    String expected = account.silence(now, limit, gap, coolDown);
                    Moment moment = new Moment(caller, user, Policies.sample(), false);
                    assertThat(policies.admit(moment).silence())
                            .as("step %d", step)
                            .isEqualTo(expected);
                    assertThat(Policies.intervene(policies, moment))
                            .as("step %d", step)
                            .isEqualTo(expected);
                    if (expected == null) {
                        account.shown.add(now);
                    }
                } else if (action < 17) {
                    boolean accepted = random.nextBoolean();
                    Account key = new Account(caller, user);
                    policies.state().addFeedback(key, new UserState.Answer(accepted, clock.instant()), null, 0);
                    if (!accepted) {
                        account.rejected.add(now);
                    }
                } else if (action == 17) {
                    policies.erase(new Account(caller, user));
                    model.remove(caller + "/" + user);
                } else if (action == 18) {
                    policies.sweep();
                } else {
                    policies.close();
                    policies = Policies.open(folder, clock, rules);
                }
            }
        } finally {
            policies.close();
        }
    }
}
