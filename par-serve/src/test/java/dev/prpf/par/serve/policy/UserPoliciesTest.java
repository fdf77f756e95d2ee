package dev.prpf.par.serve.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.policy.InterventionPolicy.Admission;
import dev.prpf.par.serve.policy.InterventionPolicy.Moment;
import dev.prpf.par.serve.policy.InterventionPolicy.Outcome;
import dev.prpf.par.serve.policy.InterventionPolicy.Recorded;
import dev.prpf.par.serve.policy.UserPolicies.PolicySettings;
import dev.prpf.par.serve.policy.UserPolicy.Signal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class UserPoliciesTest {
    private static final Account ANN = new Account("local", "ann");

    @TempDir
    private Path folder;

    private final Policies.HandClock clock = new Policies.HandClock(Policies.NOON);

    private UserPolicies open(String... overrides) {
        return Policies.open(folder, clock, overrides);
    }

    private static @Nullable String intervene(UserPolicies policies, String user) {
        return Policies.intervene(policies, Policies.moment(user));
    }

    private static List<String> audit(UserPolicies policies, Account account) {
        return policies.state().audit(account, Instant.EPOCH, Long.MAX_VALUE, 1000).stream()
                .map(UserState.Row::json)
                .toList();
    }

    @Test
    void sensitivityShiftsTheThresholdDown() {
        try (UserPolicies policies = open("sensitivity=0.2")) {
            Admission admission = policies.admit(Policies.moment("ann"));
            assertThat(admission.threshold(0.5)).isCloseTo(0.3, within(1e-12));
            assertThat(admission.threshold(0.1)).isZero();
            assertThat(admission.silence()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "an n", "../ann", "ann/bob", "李雷", "a\nb"})
    void aNameThatNoUserMayHaveIsRefused(String user) {
        try (UserPolicies policies = open()) {
            assertThatThrownBy(() -> policies.admit(Policies.moment(user)))
                    .isInstanceOf(ApiException.class)
                    .hasMessage(
                            "user is not a valid user name: it has 1 to 128 of A-Z a-z 0-9 . _ @ -, and not dots only");
        }
        assertThat(Account.isUser("a".repeat(128))).isTrue();
        assertThat(Account.isUser("a".repeat(129))).isFalse();
        for (String dots : List.of(".", "..", "...")) {
            assertThat(Account.isUser(dots))
                    .as("a path with it names another place")
                    .isFalse();
        }
        assertThat(Account.isUser("..a")).isTrue();
    }

    @Test
    void limitsCountWhatWasShownAndStartAnewWithTheDay() {
        try (UserPolicies policies = open("daily-limit=2", "least-gap-minutes=10")) {
            assertThat(intervene(policies, "ann")).isNull();
            assertThat(intervene(policies, "ann")).isEqualTo("least-gap");
            assertThat(intervene(policies, "bob")).as("another user").isNull();
            clock.advance(Duration.ofMinutes(10));
            assertThat(intervene(policies, "ann")).isNull();
            clock.advance(Duration.ofMinutes(10));
            Admission third = policies.admit(Policies.moment("ann"));
            assertThat(third.silence()).isEqualTo("daily-limit");
            assertThat(policies.record(third, Policies.shown(), null).silence()).isEqualTo("daily-limit");
            clock.set("2026-03-03T00:00:00Z");
            assertThat(intervene(policies, "ann")).isNull();
        }
    }

    /** The entry is written when a stream begins, and replaced when it ends. */
    @Test
    void aStreamCountsFromItsBeginningUnlessItEndsAsSilence() {
        try (UserPolicies policies = open("daily-limit=2")) {
            Admission shown = policies.admit(Policies.moment("ann"));
            Admission silent = policies.admit(Policies.moment("ann"));
            Admission refused = policies.admit(Policies.moment("ann"));
            Recorded first = policies.record(shown, Policies.shown(), null);
            Recorded second = policies.record(silent, Policies.shown(), null);
            assertThat(first.silence()).isNull();
            assertThat(policies.record(refused, Policies.shown(), null).silence())
                    .isEqualTo("daily-limit");
            assertThat(policies.admit(Policies.moment("ann")).silence()).isEqualTo("daily-limit");
            policies.record(silent, Policies.silent("malformed"), second);
            policies.record(shown, Policies.shown(Policies.NOTE), first);
            assertThat(audit(policies, ANN))
                    .satisfiesExactly(
                            third ->
                                    assertThat(third).contains("\"silence\":\"daily-limit\"", "\"recommendations\":[]"),
                            other -> assertThat(other).contains("\"silence\":\"malformed\"", "\"recommendations\":[]"),
                            one -> assertThat(one).contains("\"silence\":null", "\"recommendations\":[\"hmac"));
            assertThat(intervene(policies, "ann"))
                    .as("the silent one does not count")
                    .isNull();
            assertThat(intervene(policies, "ann")).isEqualTo("daily-limit");
            policies.erase(ANN);
            policies.record(shown, Policies.shown(Policies.NOTE), first);
            assertThat(audit(policies, ANN))
                    .as("a stream of an erased user leaves nothing")
                    .isEmpty();
        }
    }

    @Test
    void aRequestThatBeganBeforeAnErasureLeavesNothing() {
        try (UserPolicies policies = open()) {
            Admission shown = policies.admit(Policies.moment("ann"));
            Admission silent = policies.admit(Policies.moment("ann"));
            Admission other = policies.admit(Policies.moment("bob"));
            policies.erase(ANN);
            assertThat(policies.record(shown, Policies.shown(Policies.NOTE), null))
                    .as("its intervention is not shown")
                    .isEqualTo(new Recorded(null, "user-erased"));
            assertThat(policies.record(silent, Policies.silent("below-threshold"), null))
                    .isEqualTo(new Recorded(null, null));
            assertThat(audit(policies, ANN)).isEmpty();
            assertThat(policies.record(other, Policies.shown(), null).entry())
                    .as("another user")
                    .isNotNull();
            assertThat(intervene(policies, "ann")).as("a later request").isNull();
            assertThat(audit(policies, ANN)).hasSize(1);
        }
    }

    @Test
    void feedbackThatBeganBeforeAnErasureLeavesNothing() {
        try (UserPolicies policies = open()) {
            UserState.Answer early = new UserState.Answer(true, policies.now());
            policies.erase(ANN);
            UserState.Kept record = new UserState.Kept("{}", Map.of("p", new byte[UserState.PART_BYTES + 1]));
            assertThat(policies.state().addFeedback(ANN, early, record, 1 << 20))
                    .isEqualTo("user-erased");
            assertThat(policies.state().addFeedback(ANN, early, null, 1 << 20)).isEqualTo("user-erased");
            assertThat(policies.erase(ANN)).isEqualTo(new UserState.Erased(0, 0, 0, 0));
            UserState.Answer later = new UserState.Answer(true, policies.now());
            assertThat(policies.state().addFeedback(ANN, later, record, 1 << 20))
                    .isNull();
            assertThat(policies.state().image(ANN, "p")).hasSize(UserState.PART_BYTES + 1);
        }
    }

    @Test
    void aNameIsCheckedBeforeAnyMoment() {
        try (UserPolicies policies = open()) {
            policies.requireUser("ann");
            assertThatThrownBy(() -> policies.requireUser("an n"))
                    .hasMessage(
                            "user is not a valid user name: it has 1 to 128 of A-Z a-z 0-9 . _ @ -, and not dots only");
        }
    }

    @Test
    void anAdmissionThatBecameTooLateIsRefusedAtTheLast() {
        try (UserPolicies policies = open("quiet-hours=[\"12:05-13:00\"]", "daily-limit=1")) {
            Admission early = policies.admit(Policies.moment("ann"));
            Admission other = policies.admit(Policies.moment("ann"));
            assertThat(early.silence()).isNull();
            assertThat(policies.record(other, Policies.shown(), null).silence()).isNull();
            assertThat(policies.record(early, Policies.shown(), null).silence())
                    .as("of two at once one is too many")
                    .isEqualTo("daily-limit");
            clock.advance(Duration.ofMinutes(5));
            assertThat(policies.record(early, Policies.shown(), null).silence()).isEqualTo("quiet-hours");
        }
    }

    @Test
    void aRejectionCoolsDown() {
        try (UserPolicies policies = open("cool-down-minutes=30")) {
            policies.state().addFeedback(ANN, new UserState.Answer(true, policies.now()), null, 0);
            assertThat(intervene(policies, "ann")).as("accepted").isNull();
            policies.state().addFeedback(ANN, new UserState.Answer(false, policies.now()), null, 0);
            assertThat(intervene(policies, "ann")).isEqualTo("cool-down");
            assertThat(intervene(policies, "bob")).isNull();
            clock.advance(Duration.ofMinutes(30));
            assertThat(intervene(policies, "ann")).isNull();
        }
    }

    @Test
    void whatTheUserAsksForIsLimitedInReadingAlone() {
        try (UserPolicies policies =
                open("enabled=false", "daily-limit=0", "sensitivity=1.0", "signals.profile=false")) {
            Admission asked = policies.admit(new Moment("local", "ann", Policies.sample(), true));
            assertThat(asked.silence()).isNull();
            assertThat(asked.thresholdShift()).isZero();
            assertThat(asked.sample().context().profile()).isEmpty();
            Outcome answered = new Outcome(null, 0, null, List.of(Policies.NOTE), false);
            assertThat(policies.record(asked, answered, null).silence()).isNull();
            assertThat(policies.state().interventions(ANN, 0, 10))
                    .as("it counts for nothing")
                    .isEmpty();
            assertThat(policies.admit(Policies.moment("ann")).silence()).isEqualTo("disabled");
        }
    }

    /** A question says what the screenshots may show, as a caption would; the user said it, so that it is no signal itself. */
    @Test
    void aQuestionThatNamesAnAppTakesTheScreenshotsAway() {
        try (UserPolicies policies = open("opted-out-apps=[微信]")) {
            String question = "用户提问：微信里他说了什么？";
            Admission asked = policies.admit(new Moment("local", "ann", Policies.sample(), true, question));
            assertThat(asked.sample().trajectory().screenshots()).isEmpty();
            assertThat(asked.withheld()).containsExactly("opted-out-apps");
            assertThat(asked.moment().question()).isEqualTo(question);
            Admission other = policies.admit(new Moment("local", "ann", Policies.sample(), true, "用户提问：几点了？"));
            assertThat(other.sample()).isEqualTo(Policies.sample());
        }
    }

    @Test
    void quietActivitiesAreSilent() {
        try (UserPolicies policies = open()) {
            Sample driving = Policies.sample("", "正在开车。", "", new TraceStep.Caption("看地图"));
            Admission admission = policies.admit(new Moment("local", "ann", driving, false));
            assertThat(admission.silence()).isEqualTo("quiet-activity");
        }
    }

    private static Sample marked(String marker) {
        return Policies.sample(
                "profile" + marker,
                "phone" + marker,
                "world" + marker,
                new TraceStep.Caption("captions" + marker),
                new TraceStep.Screenshot("screenshots" + marker));
    }

    /** Runs a whole decision, with and without a signal's content, and says all that can be seen of it. */
    private List<String> decide(UserPolicies policies, String user, Sample sample) {
        Admission admission = policies.admit(new Moment("local", user, sample, false));
        String silence =
                policies.record(admission, Policies.shown(Policies.NOTE), null).silence();
        return List.of(
                String.valueOf(admission.silence()),
                String.valueOf(silence),
                String.valueOf(admission.thresholdShift()),
                String.valueOf(admission.withheld()));
    }

    @ParameterizedTest
    @EnumSource(Signal.class)
    void aWithheldSignalReachesNothing(Signal signal) {
        String off = "signals." + signal.label() + "=false";
        String marker = "Zq7Marker";
        String secret = signal.label() + marker;
        try (Policies.Log log = new Policies.Log();
                UserPolicies policies =
                        open(off, "audit.content=true", "daily-limit=2", "quiet-activities=[driving]")) {
            Admission admission = policies.admit(new Moment("local", "ann", marked(marker), false));
            assertThat(admission.toString()).doesNotContain(secret);
            decide(policies, "ann", marked(marker));
            String audit = audit(policies, ANN).toString();
            assertThat(audit).doesNotContain(secret).contains("\"withheld\":[\"" + signal.label() + "\"]");
            assertThat(Policies.bytes(folder)).doesNotContain(secret);
            assertThat(log.lines().toString()).doesNotContain(marker);
            for (Signal other : Signal.values()) {
                String kept = other.label() + marker;
                if (other != signal) {
                    assertThat(admission.sample().toString()).contains(kept);
                    if (other != Signal.SCREENSHOTS) {
                        assertThat(audit).contains(kept);
                    }
                    assertThat(audit).contains("\"" + other.label() + "\":\"hmac-sha256:");
                }
            }
            assertThat(audit).doesNotContain("\"" + signal.label() + "\":\"hmac-sha256:");
        }
    }

    /** A withheld signal's content changes no decision and no stored byte, except times and ids. */
    @ParameterizedTest
    @EnumSource(Signal.class)
    void whatAWithheldSignalSaysChangesNothing(Signal signal) {
        String off = "signals." + signal.label() + "=false";
        try (UserPolicies policies = open(off, "audit.content=true", "opted-out-apps=[Zapp]")) {
            List<Sample> said = List.of(
                    with(signal, "driving a car. Zapp is open."), with(signal, "nothing of note"), with(signal, " "));
            List<Admission> admissions = said.stream()
                    .map(sample -> policies.admit(new Moment("local", "ann", sample, false)))
                    .map(one -> new Admission(one.moment(), one.withheld(), one.thresholdShift(), one.silence(), 0))
                    .toList();
            assertThat(admissions).allMatch(admissions.get(0)::equals);
            said.forEach(sample -> decide(policies, "bob", sample));
            List<String> audit = audit(policies, new Account("local", "bob"));
            assertThat(audit).hasSize(3).allMatch(audit.get(0)::equals);
        }
    }

    private static Sample with(Signal signal, String text) {
        List<TraceStep> steps = new ArrayList<>(List.of(
                new TraceStep.Caption(signal == Signal.CAPTIONS ? text : "看地图"),
                new TraceStep.Screenshot(signal == Signal.SCREENSHOTS ? text : "a.png")));
        return Policies.sample(
                signal == Signal.PROFILE ? text : "爱吃辣。",
                signal == Signal.PHONE ? text : "电量80%。",
                signal == Signal.WORLD ? text : "晴。",
                steps.toArray(TraceStep[]::new));
    }

    /** A withheld signal does not affect the others. Limits, τ and reasons equal those of a policy with all signals. */
    @ParameterizedTest
    @EnumSource(Signal.class)
    void switchingASignalOffChangesNoOtherBehaviour(Signal signal) {
        List<List<String>> seen = new ArrayList<>();
        for (String value : List.of("true", "false")) {
            try (UserPolicies policies = Policies.open(
                    folder,
                    new PolicySettings(folder.resolve(value), 200, 8, 1),
                    clock,
                    "signals." + signal.label() + "=" + value,
                    "sensitivity=0.25",
                    "daily-limit=2",
                    "opted-out-apps=[Zapp]",
                    "quiet-hours=[\"13:00-14:00\"]",
                    "cool-down-minutes=10")) {
                clock.set("2026-03-02T12:00:00Z");
                List<String> decisions = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    List<String> decision = decide(policies, "ann", Policies.sample());
                    decisions.addAll(decision.subList(0, 3));
                    if (i == 0) {
                        policies.state().addFeedback(ANN, new UserState.Answer(false, policies.now()), null, 0);
                    }
                    clock.advance(Duration.ofMinutes(15));
                }
                seen.add(decisions);
            }
        }
        assertThat(seen.get(0)).isEqualTo(seen.get(1)).contains("quiet-hours", "daily-limit", "-0.25");
    }

    @Test
    void hashesAloneAreKeptUnlessTheUserWantsContent() {
        try (UserPolicies policies = open()) {
            decide(policies, "ann", Policies.sample());
            decide(policies, "ann", Policies.sample());
            decide(policies, "bob", Policies.sample());
            List<String> audit = audit(policies, ANN);
            assertThat(audit.get(0))
                    .isEqualTo(audit.get(1))
                    .contains("\"passive\":false", "\"p_trigger\":0.75", "\"threshold\":0.5", "\"silence\":null")
                    .contains("\"recommendations\":[\"hmac-sha256:", "\"content\":null");
            assertThat(audit(policies, new Account("local", "bob")).get(0))
                    .as("another user's hashes of the same texts")
                    .isNotEqualTo(audit.get(0));
            String bytes = Policies.bytes(folder.resolve("state"));
            assertThat(bytes).doesNotContain(Policies.asBytes("爱吃辣"), "buy milk", "a.png");
        }
        Path other = folder.resolve("other");
        try (UserPolicies policies =
                Policies.open(folder, new PolicySettings(other, 200, 8, 1), clock, "audit.content=true")) {
            decide(policies, "ann", Policies.sample());
            assertThat(audit(policies, ANN).get(0))
                    .contains("\"profile\":\"爱吃辣。\"", "\"content\":\"buy milk\"", "\"scenarios\":{\"Food\":0.5}")
                    .contains("\"picture\":\"hmac-sha256:")
                    .doesNotContain("a.png");
        }
    }

    @Test
    void silenceIsAuditedWithItsReason() {
        try (UserPolicies policies = open("daily-limit=0")) {
            Admission admission = policies.admit(Policies.moment("ann"));
            policies.record(admission, Policies.silent(String.valueOf(admission.silence())), null);
            assertThat(audit(policies, ANN).get(0))
                    .contains("\"silence\":\"daily-limit\"", "\"p_trigger\":null", "\"recommendations\":[]");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"daily-limit=5", "least-gap-minutes=1"})
    void ofManyAtOnceNoneIsTooMany(String limit) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try (UserPolicies policies =
                Policies.open(folder, new PolicySettings(folder.resolve("state"), 60_000, 8, 1), clock, limit)) {
            Admission admission = policies.admit(Policies.moment("ann"));
            List<Callable<String>> all = IntStream.range(0, 64)
                    .<Callable<String>>mapToObj(i -> () -> String.valueOf(
                            policies.record(admission, Policies.shown(), null).silence()))
                    .toList();
            List<String> answers = new ArrayList<>();
            for (Future<String> answer : threads.invokeAll(all)) {
                answers.add(answer.get());
            }
            Map<String, Long> counts = answers.stream().collect(Collectors.groupingBy(a -> a, Collectors.counting()));
            assertThat(counts)
                    .isEqualTo(
                            limit.startsWith("daily")
                                    ? Map.of("null", 5L, "daily-limit", 59L)
                                    : Map.of("null", 1L, "least-gap", 63L));
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void whatWasCountedOutlivesARestart() {
        try (UserPolicies policies = open("daily-limit=1")) {
            decide(policies, "ann", Policies.sample());
        }
        try (UserPolicies policies = open("daily-limit=1")) {
            assertThat(intervene(policies, "ann")).isEqualTo("daily-limit");
            assertThat(audit(policies, ANN))
                    .extracting(entry -> entry.replaceFirst("\"withheld.*", ""))
                    .as("the key of the hashes is kept, too")
                    .hasSize(2)
                    .containsOnly(audit(policies, ANN).get(0).replaceFirst("\"withheld.*", ""));
        }
    }

    @Test
    void whatHasRunOutIsDropped() {
        try (UserPolicies policies = open("audit.keep-days=3", "audit.content=true")) {
            decide(policies, "ann", Policies.sample());
            decide(policies, "idle", Policies.sample());
            policies.state().addFeedback(ANN, new UserState.Answer(false, policies.now()), null, 0);
            clock.advance(Duration.ofDays(3));
            policies.sweep();
            assertThat(audit(policies, ANN)).hasSize(1);
            clock.advance(Duration.ofMillis(1));
            decide(policies, "ann", Policies.sample());
            assertThat(policies.state().accounts()).hasSize(2);
            policies.sweep();
            assertThat(audit(policies, ANN)).hasSize(1);
            assertThat(policies.state().feedback(ANN, 0, 10)).isEmpty();
            assertThat(policies.state().accounts()).as("an idle user's, too").containsExactly(ANN);
        }
    }

    @Test
    void anInterventionThatCountsLongerThanItsEntryIsKeptHasNoText() {
        try (UserPolicies policies = open("audit.keep-days=1", "audit.content=true", "least-gap-minutes=10080")) {
            assertThat(intervene(policies, "ann")).isNull();
            clock.advance(Duration.ofDays(2));
            policies.sweep();
            assertThat(Policies.bytes(folder)).doesNotContain("buy milk");
        }
        try (UserPolicies policies = open("audit.keep-days=30", "audit.content=true", "least-gap-minutes=10080")) {
            assertThat(audit(policies, ANN))
                    .as("a longer time shows no entry without text")
                    .isEmpty();
            assertThat(intervene(policies, "ann")).isEqualTo("least-gap");
            assertThat(policies.erase(ANN)).isEqualTo(new UserState.Erased(1, 0, 0, 1));
            clock.advance(Duration.ofDays(8));
            assertThat(intervene(policies, "ann")).isNull();
        }
    }

    @Test
    void erasedBytesAreGoneFromTheFileAndTheLog() {
        try (UserPolicies policies = open("audit.content=true")) {
            for (int i = 0; i < 200; i++) {
                decide(policies, "ann", Policies.sample("AnnsSecret" + i, "p", "w", new TraceStep.Caption("c")));
                decide(policies, "bob", Policies.sample("BobsSecret" + i, "p", "w", new TraceStep.Caption("c")));
            }
            byte[] image = "ImageBytes".getBytes(StandardCharsets.UTF_8);
            UserState.Kept record = new UserState.Kept("{\"a\":\"AnnsSecretRecord\"}", Map.of("p.png", image));
            assertThat(policies.state().addFeedback(ANN, new UserState.Answer(true, policies.now()), record, 1 << 20))
                    .isNull();
            assertThat(Policies.bytes(folder)).contains("AnnsSecret199", "AnnsSecretRecord", "ImageBytes");
            assertThat(policies.erase(ANN)).isEqualTo(new UserState.Erased(200, 1, 1, 200));
            assertThat(Policies.bytes(folder))
                    .doesNotContain("AnnsSecret", "ImageBytes")
                    .contains("BobsSecret0", "BobsSecret199");
            assertThat(policies.erase(ANN)).isEqualTo(new UserState.Erased(0, 0, 0, 0));
            assertThat(audit(policies, new Account("local", "bob"))).hasSize(200);
        }
    }

    @Test
    void whoeverRemembersAUserIsToldBeforeTheAccountIsErased() {
        try (UserPolicies policies = open()) {
            decide(policies, "ann", Policies.sample());
            List<String> erased = new ArrayList<>();
            policies.onErase((caller, user) ->
                    erased.add(caller + " " + user + " " + audit(policies, ANN).size()));
            policies.erase(ANN);
            policies.erase(new Account("phone", "bob"));
            assertThat(erased).containsExactly("local ann 1", "phone bob 0");
            assertThat(audit(policies, ANN)).isEmpty();
        }
    }

    @Test
    void feedbackIsKeptUpToItsLimit() {
        try (UserPolicies policies = open()) {
            UserState.Kept record = new UserState.Kept("{}", Map.of("p", new byte[98]));
            assertThat(policies.state().addFeedback(ANN, new UserState.Answer(true, policies.now()), record, 100))
                    .isNull();
            assertThat(policies.state().addFeedback(ANN, new UserState.Answer(false, policies.now()), record, 199))
                    .isEqualTo("max-feedback-mb");
            assertThat(policies.state().feedback(ANN, 0, 10))
                    .extracting(UserState.Row::json, UserState.Row::accepted)
                    .containsExactly(tuple("{}", true), tuple("", false));
        }
    }

    @Test
    void simultaneousRecordsDoNotExceedTheLimitTogether() {
        try (UserPolicies policies = open()) {
            UserState.Answer answer = new UserState.Answer(true, policies.now());
            UserState.Kept other = new UserState.Kept("{}", Map.of("other", new byte[58]));
            Map<String, byte[]> images = new LinkedHashMap<>(Map.of("p", new byte[58])) {
                private static final long serialVersionUID = 1;

                @Override
                public Set<Map.Entry<String, byte[]>> entrySet() { // read after the first check
                    assertThat(policies.state().addFeedback(ANN, answer, other, 100))
                            .isNull();
                    return super.entrySet();
                }
            };
            UserState.Kept record = new UserState.Kept("{}", images);
            assertThat(policies.state().addFeedback(ANN, answer, record, 100)).isEqualTo("max-feedback-mb");
            assertThat(policies.state().images(ANN)).containsExactly("other");
            assertThat(policies.state().feedback(ANN, 0, 10))
                    .extracting(UserState.Row::json)
                    .containsExactly("{}", "");
        }
    }
}
