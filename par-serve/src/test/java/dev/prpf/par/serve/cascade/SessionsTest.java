package dev.prpf.par.serve.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.par.serve.cascade.CascadeSettings.SessionSettings;
import dev.prpf.par.serve.cascade.ServedCascade.PerceiveAnswer;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.KeyShare;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SessionsTest {
    private static final DeviceContext CONTEXT = new DeviceContext("u", "d", "w");
    private static final SessionSettings SETTINGS = new SessionSettings(10, 2, 3, 3, 1, 2);
    private static final SessionWindow WINDOW = new SessionWindow(3, 2, 3 << 20, 1 << 20);

    private final AtomicLong clock = new AtomicLong();
    private final Sessions sessions = new Sessions(SETTINGS, WINDOW, new KeyShare(2 << 20, false), clock::get);
    private final CountingPerceiver perceiver = new CountingPerceiver();
    private final PerceiverService service = CascadeWorld.service(new PerceiverService.Parts(
            perceiver,
            null,
            new SampleEncoders(
                    new EncoderSettings(EncoderPrecision.INT8, LongText.TRUNCATE, 1, Path.of("never-made"), null),
                    SampleEncoder::open)));

    /** Its p_trigger is a hundredth of the steps; it has no stream, as an ensemble. */
    private static final class CountingPerceiver implements Perceiver {
        @Override
        public String id() {
            return "counting";
        }

        @Override
        public List<Perception> perceive(List<Sample> samples) {
            return samples.stream()
                    .map(sample -> new Perception(sample.trajectory().steps().size() / 100.0, Map.<String, Double>of()))
                    .toList();
        }

        @Override
        public void close() {}
    }

    @AfterEach
    void close() {
        sessions.close();
        service.close();
    }

    private String open(String caller) {
        return open(sessions, caller);
    }

    private String open(Sessions sessions, String caller) {
        return sessions.open(new Session.Owner(caller, "anna"), CONTEXT, service.newStream());
    }

    private void later(long seconds) {
        clock.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    private static int status(Runnable refused) {
        try {
            refused.run();
        } catch (ApiException e) {
            return e.status();
        }
        return 200;
    }

    @Test
    void aSessionIsItsCallersAloneAndItsIdCannotBeGuessed() {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            String id = open("phone");
            assertThat(id).matches("session_[A-Za-z0-9_-]{32}");
            ids.add(id);
            sessions.close(id, "phone");
        }
        assertThat(ids).hasSize(50);
        String id = open("phone");
        assertThat(sessions.get(id, "phone").owner()).isEqualTo(new Session.Owner("phone", "anna"));
        assertThatThrownBy(() -> sessions.get(id, "tablet"))
                .hasMessage("there is no such session; one is forgotten after 10 s without a request");
        assertThat(status(() -> sessions.close(id, "tablet"))).isEqualTo(404);
        sessions.close(id, "phone");
        assertThat(status(() -> sessions.get(id, "phone"))).isEqualTo(404);
    }

    @Test
    void aUserIsForgottenWithAllSessionsOfTheCaller() {
        String first = open("phone");
        String second = open("phone");
        String others = open("tablet");
        sessions.forget("phone", "ben");
        assertThat(sessions.size()).isEqualTo(3);
        sessions.forget("phone", "anna");
        for (String id : List.of(first, second)) {
            assertThat(status(() -> sessions.get(id, "phone"))).isEqualTo(404);
        }
        assertThat(sessions.get(others, "tablet").owner().user()).isEqualTo("anna");
    }

    @Test
    void anIdleOneIsForgotten() {
        String used = open("phone");
        String idle = open("phone");
        later(6);
        sessions.get(used, "phone");
        later(6);
        sessions.expire();
        assertThat(sessions.size()).isOne();
        assertThat(status(() -> sessions.get(idle, "phone"))).isEqualTo(404);
        assertThat(status(() -> sessions.get(used, "phone"))).isEqualTo(200);
    }

    @Test
    void thereAreSoManyForOneAndSoManyForAll() {
        open("a");
        open("a");
        assertThatThrownBy(() -> open("a"))
                .hasMessage("you have 2 sessions, at most 2 at once; delete one that is done")
                .extracting(e -> ((ApiException) e).status())
                .isEqualTo(429);
        open("b");
        assertThatThrownBy(() -> open("c"))
                .hasMessageContaining("your share of the server's 3 sessions is in use, 3 are open");
        later(10);
        assertThat(open("c")).startsWith("session_");
    }

    private static PerceiveAnswer taken(Session session, String step) {
        return taken(session, new TraceStep.Caption(step));
    }

    private static PerceiveAnswer taken(Session session, TraceStep step) {
        return session.frame(frame(step), SessionsTest::answer);
    }

    private static Session.Frame frame(TraceStep step) {
        return new Session.Frame("m", Client.SERVER, before -> before, step);
    }

    private static Sample now(Session session, @Nullable String question) {
        return session.now("m", question, before -> {});
    }

    private static PerceiveAnswer answer(Session.Moment moment) {
        Perception perception = moment.perceiving().apply(moment.sample());
        return new PerceiveAnswer(perception.pTrigger(), true, 0.5, Map.of(), List.of(), null, null);
    }

    @Test
    void itRemembersTheLastStepsAsFarAsThereIsRoom() {
        Session session = sessions.get(open("phone"), "phone");
        for (int i = 1; i <= 5; i++) {
            PerceiveAnswer answer = taken(session, "step " + i);
            assertThat(answer.steps()).isEqualTo(i);
            assertThat(answer.pTrigger()).isEqualTo(Math.min(3, i) / 100.0);
        }
        assertThat(now(session, null).trajectory().texts()).containsExactly("step 3", "step 4", "step 5");
        assertThat(now(session, "why?").trajectory().texts())
                .as("a question is not a step, and takes the place of one")
                .containsExactly("step 4", "step 5");
        taken(session, "x".repeat(1 << 19));
        assertThat(now(session, null).trajectory().texts())
                .as("a step that fills the room is the only one")
                .hasSize(1);
    }

    @Test
    void aFrameThatFailsIsNone() {
        Session session = sessions.get(open("phone"), "phone");
        taken(session, "first");
        DeviceContext other = new DeviceContext("someone else", "d", "w");
        assertThatThrownBy(() -> session.frame(
                        new Session.Frame("m", Client.SERVER, before -> other, new TraceStep.Caption("bad")),
                        moment -> {
                            throw new IllegalStateException("cannot be perceived");
                        }))
                .hasMessage("cannot be perceived");
        Sample now = now(session, null);
        assertThat(now.trajectory().texts()).containsExactly("first");
        assertThat(now.context()).isEqualTo(CONTEXT);
        assertThat(taken(session, "second").steps()).isEqualTo(2);
    }

    @Test
    void oneRequestAtATime() throws Exception {
        Session session = sessions.get(open("phone"), "phone");
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<PerceiveAnswer> first =
                CompletableFuture.supplyAsync(() -> session.frame(frame(new TraceStep.Caption("a")), moment -> {
                    inside.countDown();
                    try {
                        goOn.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return answer(moment);
                }));
        inside.await();
        assertThatThrownBy(() -> taken(session, "b"))
                .hasMessage("another request of this session is under way; send one after the other")
                .extracting(e -> ((ApiException) e).status())
                .isEqualTo(409);
        later(60);
        sessions.expire();
        assertThat(sessions.size()).as("a session at work is not idle").isOne();
        goOn.countDown();
        assertThat(first.get().steps()).isEqualTo(1);
        assertThat(taken(session, "b").steps()).isEqualTo(2);
    }

    @Test
    void aQuestionNeedsAStepOrWords() {
        Session session = sessions.get(open("phone"), "phone");
        assertThatThrownBy(() -> now(session, null)).hasMessageContaining("the session has no frame yet");
        assertThat(now(session, "food?").trajectory().steps()).isEmpty();
    }

    private static TraceStep image(int characters) {
        return new TraceStep.Screenshot("x".repeat(characters));
    }

    private static void assertRefused(int status, String field, Session session, TraceStep step) {
        assertThatThrownBy(() -> taken(session, step)).isInstanceOfSatisfying(ApiException.class, e -> {
            assertThat(e.status()).isEqualTo(status);
            assertThat(String.valueOf(e.body().error().param())).isEqualTo(field);
        });
    }

    @Test
    void aFrameThatNoSessionHasRoomForIsRefused() {
        Session session = sessions.get(open("phone"), "phone");
        taken(session, "first");
        assertRefused(413, "image", session, image((1 << 20) + 1));
        assertRefused(413, "text", session, new TraceStep.Caption("长".repeat((1 << 19) + 1)));
        assertThat(now(session, null).trajectory().texts()).containsExactly("first");
        taken(session, image(1 << 20));
        assertThat(now(session, null).trajectory().steps()).as("the first went").hasSize(1);
    }

    @Test
    void allSessionsTogetherHaveABound() {
        Session first = sessions.get(open("a"), "a");
        String id = open("b");
        Session second = sessions.get(id, "b");
        Session third = sessions.get(open("c"), "c");
        taken(first, image(1 << 20));
        taken(second, image(1 << 20));
        assertRefused(429, "null", third, image(1));
        assertThatThrownBy(() -> taken(third, image(1)))
                .hasMessage("all sessions together would hold 2097153 bytes, at most 2097152; delete one that is done,"
                        + " or try again later");
        sessions.close(id, "b");
        assertThat(taken(third, image(1 << 19)).steps()).isOne();
        later(60);
        sessions.expire();
        Session anew = sessions.get(open("a"), "a");
        taken(anew, image(1 << 20));
        assertThat(taken(sessions.get(open("b"), "b"), image(1 << 20)).steps())
                .as("what is forgotten holds nothing")
                .isOne();
    }

    @Test
    void aKeyLeavesMemoryToTheSessionsOfOthers() {
        try (Sessions shared = new Sessions(SETTINGS, WINDOW, new KeyShare(2 << 20, true), clock::get)) {
            Session first = shared.get(open(shared, "a"), "a");
            Session second = shared.get(open(shared, "a"), "a");
            taken(first, image(1 << 20));
            assertThatThrownBy(() -> taken(second, image(1 << 20)))
                    .hasMessage("your sessions would hold 2097152 bytes, more than a key's share of 2097152; delete one"
                            + " that is done, or try again later");
            assertThat(taken(second, image(1 << 18)).steps()).isOne();
            assertThat(taken(shared.get(open(shared, "b"), "b"), image(1 << 19)).steps())
                    .isOne();
        }
    }

    @Test
    void aKeyLeavesSessionsToOthers() {
        SessionSettings eight = new SessionSettings(10, 8, 8, 3, 1, 2);
        try (Sessions shared = new Sessions(eight, WINDOW, new KeyShare(2 << 20, true), clock::get)) {
            for (int i = 0; i < 6; i++) {
                open(shared, "a");
            }
            assertThatThrownBy(() -> open(shared, "a"))
                    .hasMessage(
                            "your share of the server's 8 sessions is in use, 6 are open; delete one that is done, or try"
                                    + " again later");
            open(shared, "b");
            open(shared, "c");
        }
    }

    @Test
    void aSessionKeepsNoMoreThanAMomentMayHave() {
        SessionWindow window = new SessionWindow(4, 2, 10, 1000);
        List<TraceStep> steps = List.of(image(1), image(1), image(1), new TraceStep.Caption("12345"));
        assertThat(window.beyond(steps, 0)).as("two images").isEqualTo(1);
        assertThat(window.beyond(steps, 6)).as("the last is kept").isEqualTo(3);
        List<TraceStep> words = List.of(new TraceStep.Caption("1234"), new TraceStep.Caption("5678"));
        assertThat(window.beyond(words, 2)).isZero();
        assertThat(window.beyond(words, 3)).as("eleven characters").isOne();
        assertThat(new SessionWindow(1, 2, 10, 1000).beyond(words, 0)).isOne();
        assertThat(new SessionWindow(4, 2, 10, 15).beyond(words, 0))
                .as("16 bytes")
                .isOne();
    }
}
