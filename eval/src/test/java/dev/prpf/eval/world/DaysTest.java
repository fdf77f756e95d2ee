package dev.prpf.eval.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.Language;
import dev.prpf.data.Sample;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Act;
import dev.prpf.data.episode.EpisodeStep.Actor;
import dev.prpf.data.episode.EpisodeStep.Answer;
import dev.prpf.data.episode.EpisodeStep.Cost;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.synth.DaySynth;
import dev.prpf.data.world.AppDefinition;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.ScenarioCheck.Checked;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.par.agent.Agents;
import dev.prpf.par.agent.CascadeAgent;
import dev.prpf.par.agent.EpisodePolicy;
import dev.prpf.par.agent.ProactiveAgent;
import dev.prpf.par.agent.Users;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.serve.policy.UserPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DaysTest {
    private static final Checked DAY = day(0);

    @TempDir
    private Path folder;

    private static Checked day(int index) {
        Scenario day = new DaySynth(1, "train", Language.EN, ScenarioCatalogReader.shipped()).day(index);
        return new Checked(day, Map.of(ScenarioWorld.PHONE, AppDefinition.shipped("phone")));
    }

    private static WorldRun run(List<Checked> days, ProactiveAgent.Source agent, int threads) {
        return new WorldRun(days, 1, EpisodeRunner.TurnRule.DAY, Users.RULES, agent, 7, threads);
    }

    private static <T extends EpisodeStep> List<T> steps(Episode episode, Class<T> kind) {
        return episode.steps().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private static int goals() {
        return DAY.scenario().user().goals().size();
    }

    @Test
    void theExpectedRun_helpsWithEveryGoal() {
        Scenario day = DAY.scenario();
        Scenario.User trusting = new Scenario.User(
                null, day.user().goals(), Map.of("fatigue", 0.0), day.user().seen(), List.of());
        Scenario patient = new Scenario(
                day.scenario(),
                null,
                day.start(),
                day.apps(),
                day.events(),
                List.of(),
                Map.of(),
                trusting,
                day.expected(),
                day.checks(),
                day.limits());
        Episode episode = run(List.of(new Checked(patient, DAY.apps())), Agents.EXPECTED, 1)
                .play(0);

        DayMetrics metrics = Objects.requireNonNull(DayMetrics.of(episode));

        assertThat(metrics.helped()).isEqualTo(goals());
        assertThat(List.of(metrics.missed(), metrics.disturbed(), metrics.falseTriggers(), metrics.refusedWrites()))
                .containsOnly(0);
        assertThat(metrics.quiet()).isEqualTo(40 - goals());
    }

    @Test
    void equalSeeds_giveEqualBytes() throws IOException {
        List<Checked> days = IntStream.range(0, 4).mapToObj(DaysTest::day).toList();
        try (StopSignal stop = StopSignal.install()) {
            run(days, Agents.RANDOM, 1).play(folder.resolve("one"), stop);
            run(days, Agents.RANDOM, 3).play(folder.resolve("three"), stop);
        }
        assertThat(folder.resolve("three")).hasSameBinaryContentAs(folder.resolve("one"));
    }

    @Test
    void records_haveTheRepliesAsLabels() throws IOException {
        WorldRun run = run(List.of(DAY), Agents.ALWAYS, 1);
        Path records = folder.resolve("records.json");
        try (StopSignal stop = StopSignal.install()) {
            run.play(folder.resolve("episodes"), stop);
        }
        run.writeRecords(folder.resolve("episodes"), records);

        List<Sample> read = SampleReader.readAll(records);
        List<EpisodeStep.Reply> replies = steps(run.play(0), EpisodeStep.Reply.class);

        assertThat(read).allMatch(Sample::labelled);
        assertThat(read.stream().filter(Sample::wantsIntervention))
                .hasSameSizeAs(of(replies, Answer.ACCEPT))
                .isNotEmpty();
        assertThat(read.stream().filter(sample -> !sample.wantsIntervention()))
                .hasSameSizeAs(of(replies, Answer.REJECT));
        assertThat(Files.readString(records)).contains(text(DAY.scenario(), "profile"));
    }

    private static String text(Scenario day, String key) {
        Scenario.App phone = Objects.requireNonNull(day.apps().get(ScenarioWorld.PHONE));
        return Objects.requireNonNull(phone.start().get(key)).asText();
    }

    private static List<EpisodeStep.Reply> of(List<EpisodeStep.Reply> replies, Answer answer) {
        return replies.stream().filter(reply -> reply.answer() == answer).toList();
    }

    /** Passes the samples of the second half of the day. */
    private record Half(List<List<String>> screens) implements Perceiver {
        @Override
        public String id() {
            return "half";
        }

        @Override
        public List<Perception> perceive(List<Sample> samples) {
            samples.forEach(sample -> screens.add(sample.trajectory().texts()));
            return samples.stream()
                    .map(sample -> new Perception(
                            Double.parseDouble(sample.id().replaceFirst(".*@", "")) > 30_000 ? 0.9 : 0.1,
                            Map.of("Shopping", 0.8)))
                    .toList();
        }

        @Override
        public void close() {}
    }

    /** Proposes the same call each time, and counts. */
    private static final class Counting implements Reasoner {
        private int requests;

        @Override
        public String id() {
            return "counting";
        }

        @Override
        public List<Reasoning> reason(List<Request> asked, Runnable answered) {
            requests += asked.size();
            String text = "<think>t</think>[{\"name\": \"create_note\", \"parameters\": {\"content\": \"x\"}}]";
            return asked.stream()
                    .map(one -> new Reasoning(text, ResponseParser.parse(text), null))
                    .toList();
        }

        @Override
        public void close() {}
    }

    private static CascadeAgent.Source cascade(Reasoner reasoner, boolean gateOnly) {
        return new CascadeAgent.Source(
                new Cascade(
                        new Half(new ArrayList<>()),
                        reasoner,
                        FunctionPoolFile.shipped(),
                        ScenarioCatalogReader.shipped(),
                        new Cascade.Settings(true, true, 1, 0.5)),
                gateOnly,
                "a1");
    }

    /** The rejection of the first offer triggers a second event at the same instant. */
    @Test
    void aSecondEventOfAnInstant_isScoredAsShown() {
        String yaml =
                """
                scenario: instant
                start: "2026-03-02T00:00:00+08:00"
                apps: {Phone: {app: phone}}
                events:
                  - {id: first, at: "10:00", call: Phone.use, with: {phone: p, world: w, steps: [opened mail]}}
                  - {id: second, when: {call: reject}, call: Phone.use, with: {phone: p, world: w, steps: [wrote mail]}}
                user: {habits: {trust: 1, patience: 2}}
                """;
        Scenario scenario = StrictYaml.readText("instant.yaml", yaml, Scenario.class, List.of());
        CascadeAgent.Source gate = cascade(new Counting(), true);
        Checked day = new Checked(scenario, Map.of(ScenarioWorld.PHONE, AppDefinition.shipped("phone")));
        Episode episode = run(List.of(day), gate, 1).play(0);
        assertThat(steps(episode, EpisodeStep.Event.class))
                .extracting(EpisodeStep::t)
                .containsExactly(36_000.0, 36_000.0);
        assertThat(((Half) Objects.requireNonNull(gate.cascade().perceiver())).screens())
                .containsExactly(List.of("opened mail"), List.of("wrote mail"));
    }

    @Test
    void aFileOfAnotherCascade_isRefused() throws IOException {
        Path out = folder.resolve("episodes");
        CascadeAgent.Source one = cascade(new Counting(), true);
        CascadeAgent.Source other = new CascadeAgent.Source(one.cascade(), true, "b2");
        try (StopSignal stop = StopSignal.install()) {
            run(List.of(DAY), one, 1).play(out, stop);
            assertThatThrownBy(() -> run(List.of(DAY), other, 1).play(out, stop))
                    .hasMessageContaining(
                            "agent is \"gate-0.5 of the files a1\", must be \"gate-0.5 of the files b2\"");
        }
    }

    @Test
    void recordsWithoutAReply_areRefused() throws IOException {
        WorldRun run = new WorldRun(List.of(DAY), 1, EpisodeRunner.TurnRule.PARE, Users.RULES, Agents.ALWAYS, 7, 1);
        Path records = folder.resolve("records.json");
        try (StopSignal stop = StopSignal.install()) {
            run.play(folder.resolve("episodes"), stop);
        }
        assertThatThrownBy(() -> run.writeRecords(folder.resolve("episodes"), records))
                .hasMessage(folder.resolve("episodes")
                        + ": has no accepted or rejected offer at a sample of the app Phone, so " + records
                        + " was not written; --turns pare ends after 220 s, try --turns day");
        assertThat(records).doesNotExist();
    }

    @Test
    void aDayWithoutItsFacts_hasNoFigures() {
        Episode day = run(List.of(DAY), Agents.ALWAYS, 1).play(0);
        Map<String, JsonNode> facts = new HashMap<>(day.header().facts());
        facts.remove(EpisodeRunner.REFUSED_WRITES);
        assertThat(Objects.requireNonNull(DayMetrics.of(with(day, facts))).refusedWrites())
                .isNull();
        facts.remove(EpisodeRunner.MET_GOALS);
        assertThat(DayMetrics.of(with(day, facts))).isNull();
    }

    private static Episode with(Episode episode, Map<String, JsonNode> facts) {
        Episode.Header header = episode.header();
        return new Episode(
                new Episode.Header(
                        Episode.FORMAT,
                        header.episode(),
                        header.scenario(),
                        header.run(),
                        header.seed(),
                        header.source(),
                        header.start(),
                        header.clock(),
                        header.actors(),
                        header.apps(),
                        header.goal(),
                        facts),
                episode.steps());
    }

    @Test
    void theCascade_asksTheReasonerOnlyWhereTheGateOpens() {
        Counting reasoner = new Counting();
        List<EpisodeStep.Decision> decisions =
                steps(run(List.of(DAY), cascade(reasoner, false), 1).play(0), EpisodeStep.Decision.class);

        assertThat(decisions).hasSize(40);
        List<EpisodeStep.Decision> open = decisions.stream()
                .filter(decision -> Objects.equals(decision.p(), 0.9))
                .toList();
        assertThat(open).hasSizeBetween(5, 35).allMatch(one -> one.scenarios().equals(List.of("Shopping")));
        assertThat(reasoner.requests).isEqualTo(open.size());
        assertThat(decisions).allMatch(one -> Objects.equals(one.threshold(), 0.5) && one.cost() != null);
    }

    @Test
    void aGateAlone_takesTheContentOfTheExpectedRun() {
        Counting reasoner = new Counting();
        Episode episode = run(List.of(DAY), cascade(reasoner, true), 1).play(0);

        assertThat(reasoner.requests).isZero();
        List<String> said = new ArrayList<>();
        steps(episode, EpisodeStep.Proposal.class).forEach(offer -> said.addAll(offer.texts()));
        assertThat(said).hasSizeBetween(5, 35);
        List<String> expected = DAY.scenario().expected().stream()
                .map(entry -> entry.with().getOrDefault(Scenario.TEXT, TextNode.valueOf("")))
                .map(JsonNode::asText)
                .toList();
        assertThat(said).anyMatch(expected::contains);
    }

    @Test
    void thePolicy_withholdsInQuietHoursAndBeyondTheLimit() {
        UserPolicy policy = StrictYaml.readText(
                "policy.yaml",
                "{quiet-hours: [\"07:00-12:00\"], daily-limit: 2, least-gap-minutes: 0, cool-down-minutes: 0,"
                        + " quiet-activities: []}",
                UserPolicy.class,
                List.of());
        Episode episode = run(List.of(DAY), new EpisodePolicy.Source(Agents.ALWAYS, policy), 1)
                .play(0);

        List<EpisodeStep.Decision> decisions = steps(episode, EpisodeStep.Decision.class);
        assertThat(decisions).allSatisfy(one -> assertThat(Objects.requireNonNull(one.t()) < 5 * 3600)
                .isEqualTo("quiet-hours".equals(one.reason())));
        assertThat(steps(episode, EpisodeStep.Proposal.class)).hasSize(2);
        assertThat(Objects.requireNonNull(DayMetrics.of(episode)).withheld())
                .containsOnlyKeys("quiet-hours", "daily-limit")
                .containsEntry("daily-limit", (int) decisions.stream()
                        .filter(one -> "daily-limit".equals(one.reason()))
                        .count());
    }

    private static Episode underCoolDown(int minutes) {
        UserPolicy policy = StrictYaml.readText(
                "policy.yaml",
                "{quiet-hours: [], daily-limit: null, least-gap-minutes: 0, cool-down-minutes: " + minutes
                        + ", quiet-activities: []}",
                UserPolicy.class,
                List.of());
        return run(List.of(DAY), new EpisodePolicy.Source(Agents.ALWAYS, policy), 1)
                .play(0);
    }

    @Test
    void theCoolDown_followsARejectionAndEnds() {
        Episode episode = underCoolDown(600);

        assertThat(Objects.requireNonNull(DayMetrics.of(episode)).withheld()).containsOnlyKeys("cool-down");
        assertThat(steps(episode, EpisodeStep.Reply.class).stream()
                        .filter(reply -> reply.answer() == Answer.REJECT && Objects.requireNonNull(reply.t()) < 18_000))
                .hasSize(1);
        assertThat(Objects.requireNonNull(DayMetrics.of(underCoolDown(1))).withheld())
                .as("the next moments are later than a minute")
                .isEmpty();
    }

    /** Two goals: one is helped after 60 s, one is missed. Two proposals, of which one is refused; three decisions, one withheld. */
    @Test
    void figuresOfADay_byHand() {
        Map<String, JsonNode> facts = Map.of(
                EpisodeRunner.GOALS,
                JsonRecords.tree(Map.of("a", List.of(100.0, 400.0), "b", List.of(1000.0, 1300.0))),
                EpisodeRunner.MET_GOALS,
                JsonRecords.tree(Map.of("a", 161.0)),
                EpisodeRunner.REFUSED_WRITES,
                JsonRecords.tree(3));
        Episode.Header header = new Episode.Header(
                Episode.FORMAT,
                "e",
                "s",
                0,
                1L,
                "world",
                null,
                Episode.Clock.VIRTUAL,
                Map.of(),
                List.of(),
                null,
                facts);
        Cost acting = new Cost(30, 4.0, 0.5);
        Cost silent = new Cost(10, 1.0, null);
        Episode episode = new Episode(
                header,
                List.of(
                        decision(0, 160.0, Act.ACT, null, acting),
                        new EpisodeStep.Proposal(1, 160.0, 0, List.of("a")),
                        new EpisodeStep.Reply(2, 160.0, 0, 1, Answer.ACCEPT, ""),
                        new EpisodeStep.Action(
                                3,
                                161.0,
                                0,
                                Actor.EXECUTE,
                                "Phone",
                                "f",
                                Map.of(),
                                EpisodeStep.Effect.WRITE,
                                "1",
                                null,
                                null),
                        decision(4, 500.0, Act.ACT, null, null),
                        new EpisodeStep.Proposal(5, 500.0, 1, List.of("b")),
                        new EpisodeStep.Reply(6, 500.0, 1, 5, Answer.IGNORE, ""),
                        decision(7, 1100.0, Act.SILENT, "quiet-hours", silent),
                        decision(8, 1400.0, Act.SILENT, null, null),
                        new EpisodeStep.End(9, 7200.0, null, null, EpisodeStep.Why.DONE, 3)));

        DayMetrics.Score score =
                Objects.requireNonNull(DayMetrics.score(List.of(Objects.requireNonNull(DayMetrics.of(episode)))));

        assertThat(figure(score, "helped")).isEqualTo(50, offset(1e-9));
        assertThat(figure(score, "missed")).isEqualTo(50, offset(1e-9));
        assertThat(figure(score, "disturbed_an_hour")).isEqualTo(0.5, offset(1e-9));
        assertThat(figure(score, "precision")).isEqualTo(50, offset(1e-9));
        assertThat(figure(score, "ftr")).isEqualTo(50, offset(1e-9));
        assertThat(figure(score, "delay")).isEqualTo(60, offset(1e-9));
        assertThat(figure(score, "writes_without_permission")).isEqualTo(3, offset(1e-9));
        assertThat(figure(score, "silent_tokens")).isEqualTo(25, offset(1e-9));
        assertThat(figure(score, "silent_flops")).isEqualTo(20, offset(1e-9));
        assertThat(score.figures().get("silent_seconds"))
                .as("the seconds of a silent decision are unknown")
                .isEqualTo(new EpisodeScore.Figure(null, null, null));
        assertThat(score.withheld()).containsExactly(Map.entry("quiet-hours", 1));
    }

    private static EpisodeStep.Decision decision(
            int step, double t, Act act, @Nullable String reason, @Nullable Cost cost) {
        return new EpisodeStep.Decision(step, t, 0, act, null, null, reason, List.of(), cost);
    }

    private static double figure(DayMetrics.Score score, String name) {
        return Objects.requireNonNull(
                Objects.requireNonNull(score.figures().get(name)).value());
    }
}
