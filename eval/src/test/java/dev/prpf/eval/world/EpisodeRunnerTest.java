package dev.prpf.eval.world;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeFile;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Answer;
import dev.prpf.data.episode.EpisodeStep.Why;
import dev.prpf.data.world.AppDefinition;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.par.agent.Agents;
import dev.prpf.par.agent.EpisodePolicy;
import dev.prpf.par.agent.ProactiveAgent;
import dev.prpf.par.agent.SimulatedUser;
import dev.prpf.par.agent.Users;
import dev.prpf.par.serve.policy.UserPolicy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EpisodeRunnerTest {
    private static final Map<String, String> NAMES = Map.of("user", "rules", "observe", "test", "execute", "test");

    private static String text(String name) {
        try (var in = EpisodeRunnerTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static ScenarioWorld world(String yaml, long seed) {
        AppDefinition taxi = StrictYaml.readText("taxi.yaml", text("taxi.yaml"), AppDefinition.class, List.of());
        Scenario scenario = StrictYaml.readText("train.yaml", yaml, Scenario.class, List.of());
        return new ScenarioWorld(scenario, Map.of("Taxi", taxi), seed);
    }

    private static Episode play(EpisodeRunner.TurnRule rule, String yaml, Users user, Agents agent) {
        ScenarioWorld world = world(yaml, 1);
        EpisodePolicy policy = new EpisodePolicy(world, null);
        return play(rule, world, user.start(world, 1), agent.start(world, 1, policy));
    }

    private static Episode play(
            EpisodeRunner.TurnRule rule, ScenarioWorld world, SimulatedUser user, ProactiveAgent agent) {
        return new EpisodeRunner(rule, world, user, agent, new EpisodePolicy(world, null))
                .play("train-0", 0, 1, NAMES, Map.of());
    }

    private static List<String> kinds(Episode episode) {
        List<String> kinds = new ArrayList<>();
        for (EpisodeStep step : episode.steps()) {
            String text = step instanceof EpisodeStep.Action action
                    ? action.actor() + " " + action.function() + (action.error() == null ? "" : " refused")
                    : step instanceof EpisodeStep.Reply reply
                            ? reply.answer() + ""
                            : step instanceof EpisodeStep.Decision decision
                                    ? decision.act() + ""
                                    : step.getClass().getSimpleName();
            kinds.add(step.turn() + " " + text);
        }
        return kinds;
    }

    @Test
    void theExpectedRun_inTurnsOfPare() {
        Episode episode = play(EpisodeRunner.TurnRule.PARE, text("train.yaml"), Users.SCRIPTED, Agents.EXPECTED);
        assertThat(kinds(episode))
                .containsExactly(
                        "0 SILENT",
                        "1 Event",
                        "1 Event",
                        "1 OBSERVE quote",
                        "1 ACT",
                        "1 Proposal",
                        "2 ACCEPT",
                        "2 EXECUTE order",
                        "2 Message",
                        "3 SILENT",
                        "4 SILENT",
                        "5 SILENT",
                        "null End");
        assertThat(episode.end().why()).isEqualTo(Why.TURNS);
        assertThat(episode.end().turns()).isEqualTo(6);
        EpisodeStep.Event stop = (EpisodeStep.Event) episode.steps().get(2);
        assertThat(stop.t()).isEqualTo(20);
        assertThat(stop.seen().user()).isEqualTo("Line 2...");
        assertThat(stop.seen().agent()).endsWith("catch the train?");
        assertThat(episode.header().facts().get(EpisodeRunner.MET_GOALS)).hasToString("{\"g\":45.0}");
        EpisodeMetrics metrics = EpisodeMetrics.of(
                episode, EpisodeMetrics.Mode.STRICT, episode.end().verdict());
        assertThat(metrics.writes()).isEqualTo(1);
        assertThat(metrics.withoutPermission()).isZero();
        assertThat(metrics.accepted()).isEqualTo(1);
    }

    @Test
    void eachAgent_againstTheUserByRules() {
        String day = text("train.yaml").replace("limits: {turns: 6}", "limits: {until: \"10:00\"}");
        assertThat(answers(play(EpisodeRunner.TurnRule.DAY, day, Users.RULES, Agents.SILENT)))
                .isEmpty();
        assertThat(answers(play(EpisodeRunner.TurnRule.DAY, day, Users.RULES, Agents.ALWAYS)))
                .containsExactly(Answer.REJECT, Answer.ACCEPT, Answer.REJECT);
        assertThat(answers(play(EpisodeRunner.TurnRule.DAY, day, Users.RULES, Agents.CUES)))
                .containsExactly(Answer.ACCEPT);
        assertThat(answers(play(EpisodeRunner.TurnRule.DAY, day, Users.RULES, Agents.BACKOFF)))
                .as("a pause after the advertisement, and the last event after it")
                .containsExactly(Answer.REJECT, Answer.REJECT);
        Episode silent = play(EpisodeRunner.TurnRule.EVENT, day, Users.RULES, Agents.SILENT);
        assertThat(silent.end().turns()).as("one turn an event").isEqualTo(3);
        assertThat(silent.end().why()).isEqualTo(Why.DONE);
    }

    private static List<Answer> answers(Episode episode) {
        return episode.steps().stream()
                .filter(EpisodeStep.Reply.class::isInstance)
                .map(step -> ((EpisodeStep.Reply) step).answer())
                .toList();
    }

    @Test
    void aUserWithoutTrust_readsBeforeAccepting() {
        String day = text("train.yaml").replace("trust: 1", "trust: 0");
        assertThat(kinds(play(EpisodeRunner.TurnRule.EVENT, day, Users.RULES, Agents.CUES)))
                .containsSubsequence("1 Proposal", "1 USER open_app", "1 ACCEPT", "1 EXECUTE order", "1 Message");
    }

    @Test
    void anOfferIsIgnored_afterTooManyOrWithoutAttention() {
        String impatient = text("train.yaml").replace("patience: 2", "patience: 1");
        assertThat(answers(play(EpisodeRunner.TurnRule.EVENT, impatient, Users.RULES, Agents.ALWAYS)))
                .containsExactly(Answer.REJECT, Answer.IGNORE, Answer.IGNORE);
        String inattentive = text("train.yaml").replace("patience: 2", "attention: 0");
        assertThat(answers(play(EpisodeRunner.TurnRule.DAY, inattentive, Users.RULES, Agents.CUES)))
                .containsExactly(Answer.IGNORE);
    }

    @Test
    void aWriteBeforeAnAcceptance_isRefusedAndCounted() {
        ScenarioWorld world = world(text("train.yaml"), 1);
        ProactiveAgent hasty = new ProactiveAgent() {
            @Override
            public Act observe(List<EpisodeStep> seen) {
                return new Call("Taxi.order", Map.of("to", TextNode.valueOf("South Station")));
            }

            @Override
            public Act execute(List<EpisodeStep> seen) {
                return new Silence();
            }
        };
        Episode episode = play(EpisodeRunner.TurnRule.PARE, world, Users.SCRIPTED.start(world, 1), hasty);
        assertThat(world.world().state("Taxi").get("rides")).isEmpty();
        assertThat(episode.header().facts().get(EpisodeRunner.REFUSED_WRITES))
                .as("five calls a turn")
                .hasToString("30");
        assertThat(kinds(episode)).contains("0 OBSERVE order refused", "0 READ");
    }

    @Test
    void anEpisodeIsWrittenReadAndReplayed(@TempDir Path folder) throws IOException {
        String day = text("train.yaml").replace("trust: 1", "trust: 0");
        for (EpisodeRunner.TurnRule rule : EpisodeRunner.TurnRule.values()) {
            Episode first = play(rule, day, Users.RULES, Agents.ALWAYS);
            assertThat(lines(play(rule, day, Users.RULES, Agents.ALWAYS))).isEqualTo(lines(first));
            Path file = Files.writeString(folder.resolve(rule + ".jsonl"), lines(first));
            List<Episode> read = new ArrayList<>();
            new EpisodeFile().read(file, read::add);
            ScenarioWorld world = world(day, 1);
            SimulatedUser user = Users.replay(read.get(0));
            Episode again = play(rule, world, user, Agents.replay(read.get(0)));
            assertThat(lines(again)).as(rule.name()).isEqualTo(lines(first));
        }
    }

    private static String lines(Episode episode) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        EpisodeFile.write(out, episode);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void anOfferRepeatedWordForWord_tiresLikeAnother() {
        ScenarioWorld world = world(text("train.yaml").replace("trust: 1", "fatigue: 1"), 1);
        SimulatedUser user = Users.RULES.start(world, 1);
        ProactiveAgent.Offer offer = new ProactiveAgent.Offer("Shall I?", List.of());
        assertThat(Objects.requireNonNull(user.answer(List.of(), offer)).answer())
                .isEqualTo(Answer.REJECT);
        assertThat(Objects.requireNonNull(user.answer(List.of(), offer)).answer())
                .isEqualTo(Answer.IGNORE);
    }

    /** The rejection triggers an event at its own instant, at which the assistant was admitted already. */
    @Test
    void anEventAtTheInstantOfARejection_isCooledDown() {
        String more = "  - {id: again, when: {call: reject}, call: Taxi.notify, with: {text: Rides are cheap}}\nuser:";
        UserPolicy rules = StrictYaml.readText(
                "policy.yaml",
                "{quiet-hours: [], daily-limit: null, least-gap-minutes: 0, cool-down-minutes: 60,"
                        + " quiet-activities: []}",
                UserPolicy.class,
                List.of());
        ScenarioWorld world = world(text("train.yaml").replace("user:", more), 1);
        EpisodePolicy policy = new EpisodePolicy(world, rules);
        Episode episode = new EpisodeRunner(
                        EpisodeRunner.TurnRule.DAY,
                        world,
                        Users.RULES.start(world, 1),
                        Agents.ALWAYS.start(world, 1, policy),
                        policy)
                .play("train-0", 0, 1, NAMES, Map.of());
        assertThat(answers(episode)).containsExactly(Answer.REJECT);
        assertThat(episode.steps().stream()
                        .filter(EpisodeStep.Decision.class::isInstance)
                        .map(step -> step.t() + " " + ((EpisodeStep.Decision) step).reason()))
                .startsWith("6.0 null", "6.0 cool-down", "20.0 cool-down");
    }

    @Test
    void noiseWithoutEnd_endsWithTheDay() {
        String noisy = text("train.yaml")
                .replace("limits: {turns: 6}", "noise: [{call: Taxi.notify, per-hour: 6, with: [{text: Buy}]}]");
        Episode episode = play(EpisodeRunner.TurnRule.DAY, noisy, Users.RULES, Agents.RANDOM);
        assertThat(episode.end().why()).isEqualTo(Why.TIME);
        assertThat(episode.end().turns()).isBetween(100, 200);
        assertThat(episode.steps().stream()
                        .filter(step -> step instanceof EpisodeStep.Event event && event.noise())
                        .count())
                .isEqualTo(Objects.requireNonNull(episode.end().turns()) - 3L);
    }
}
