package dev.prpf.eval.world;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Actor;
import dev.prpf.data.episode.EpisodeStep.Answer;
import dev.prpf.data.episode.EpisodeStep.Effect;
import dev.prpf.data.episode.EpisodeStep.Why;
import dev.prpf.data.world.World.Result;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.Scenario.Entry;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.par.agent.EpisodePolicy;
import dev.prpf.par.agent.ProactiveAgent;
import dev.prpf.par.agent.ProactiveAgent.Act;
import dev.prpf.par.agent.ProactiveAgent.Call;
import dev.prpf.par.agent.ProactiveAgent.Offer;
import dev.prpf.par.agent.ProactiveAgent.Report;
import dev.prpf.par.agent.SimulatedUser;
import dev.prpf.par.agent.SimulatedUser.Move;
import dev.prpf.par.agent.SimulatedUser.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Plays one episode: a user and an assistant take turns in the world of a scenario. */
final class EpisodeRunner {
    /** The order in which user and assistant act. */
    enum TurnRule {
        /**
         * PARE's turns: every 22 seconds the user makes one move or replies, then the assistant acts. It waits while an offer is open, and
         * executes in the turn of the acceptance.
         */
        PARE,
        /** After each event the user makes one move and the assistant may make one offer, which the user answers at once or ignores. */
        EVENT,
        /** Extends {@code EVENT}: the user makes several moves, and an offer without a reply stays open until the next event. */
        DAY
    }

    /** The fact of an episode's header with the number of writes that were refused. */
    static final String REFUSED_WRITES = "refused_writes";

    /** The fact with the number of turns without a valid answer of a model; absent for 0. */
    static final String INVALID_ANSWERS = "invalid_answers";

    /** The fact with the seconds at which goals were met, by id. */
    static final String MET_GOALS = "met_goals";

    /** The fact with the errors of events that had no effect, by id; noise has one id. */
    static final String FAILED_EVENTS = "failed_events";

    /** The fact with the settings of the run. */
    static final String SETTINGS = "settings";

    /** The fact with the windows of goals that have opened, by id: two times in seconds, the end null for the episode's end. */
    static final String GOALS = "goals";

    private static final int TURNS = 10; // of PARE
    private static final double TURN_SECONDS = 22; // mean of PARE's five traces
    private static final double CALL_SECONDS = 1;
    private static final double DAY_SECONDS = 86_400;
    private static final int OBSERVING_CALLS = 5;
    private static final int EXECUTING_CALLS = 10;
    private static final int MOVES = 8; // after an event of a day

    private final TurnRule rule;
    private final ScenarioWorld world;
    private final SimulatedUser user;
    private final ProactiveAgent agent;
    private final EpisodePolicy policy;
    private final List<EpisodeStep> steps = new ArrayList<>();
    private final Map<String, String> failedEvents = new TreeMap<>();
    private int seenByUser; // steps
    private int seenByAgent;
    private int turn = -1;
    private @Nullable Offer open;
    private int openStep;
    private boolean accepted;

    EpisodeRunner(TurnRule rule, ScenarioWorld world, SimulatedUser user, ProactiveAgent agent, EpisodePolicy policy) {
        this.rule = rule;
        this.world = world;
        this.user = user;
        this.agent = agent;
        this.policy = policy;
    }

    /**
     * Plays the whole episode once.
     *
     * @param actors the players {@code user}, {@code observe} and {@code execute}
     * @param settings how the episode is played, for the header
     * @throws CancellationException if the thread is interrupted
     */
    Episode play(String episode, int run, long seed, Map<String, String> actors, Map<String, Object> settings) {
        Why end = null;
        while (end == null) {
            turn++;
            end = advance();
            if (end == null) {
                userTurn();
                agentTurn();
            }
        }
        steps.add(new EpisodeStep.End(steps.size(), world.now(), null, null, end, turn));
        return new Episode(header(episode, run, seed, actors, settings), steps);
    }

    private Episode.Header header(
            String episode, int run, long seed, Map<String, String> actors, Map<String, Object> settings) {
        Scenario scenario = world.scenario();
        Map<String, @Nullable String> sorted = new TreeMap<>(actors);
        return new Episode.Header(
                Episode.FORMAT,
                episode,
                scenario.scenario(),
                run,
                seed,
                "world",
                scenario.start(),
                Episode.Clock.VIRTUAL,
                sorted,
                List.copyOf(scenario.apps().keySet()),
                scenario.user().goal(),
                facts(settings));
    }

    private Map<String, JsonNode> facts(Map<String, Object> settings) {
        Map<String, JsonNode> facts = new TreeMap<>();
        facts.put("turn_rule", TextNode.valueOf(EnumName.of(rule)));
        facts.put(REFUSED_WRITES, IntNode.valueOf(world.refusedWrites()));
        facts.put(FAILED_EVENTS, JsonRecords.tree(failedEvents));
        facts.put(SETTINGS, JsonRecords.tree(settings));
        if (agent.junk() + user.junk() > 0) {
            facts.put(INVALID_ANSWERS, IntNode.valueOf(agent.junk() + user.junk()));
        }
        facts.put(MET_GOALS, JsonRecords.tree(new TreeMap<>(world.metGoals())));
        facts.put(GOALS, JsonRecords.tree(new TreeMap<>(world.goalWindows())));
        return facts;
    }

    /** Moves the clock to the next turn; returns why the episode ends, else null. */
    private @Nullable Why advance() {
        requireRunning();
        Integer turns = world.scenario().limits().turns();
        if (turn >= (turns != null ? turns : rule == TurnRule.PARE ? TURNS : Integer.MAX_VALUE)) {
            return Why.TURNS;
        }
        String until = world.scenario().limits().until();
        double end = until != null
                ? world.scenario().seconds(until)
                : rule == TurnRule.PARE ? Double.POSITIVE_INFINITY : DAY_SECONDS;
        double next = rule == TurnRule.PARE ? turn * TURN_SECONDS : nextMoment();
        if (Double.isInfinite(next) || next > end) {
            return Double.isInfinite(next) ? Why.DONE : Why.TIME;
        }
        moveTo(Math.max(next, world.now()));
        return null;
    }

    private static void requireRunning() {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancellationException();
        }
    }

    private double nextMoment() {
        double next = world.queue().nextTime();
        for (Entry move : world.scenario().user().moves()) {
            Double due =
                    world.queue().happened(move.id()) == null ? world.queue().due(move) : null;
            next = due != null && due > world.now() ? Math.min(next, due) : next;
        }
        return next;
    }

    private void moveTo(double time) {
        for (ScenarioWorld.Notice notice : world.advance(time)) {
            requireRunning();
            String call = notice.due().call();
            double t = notice.due().t();
            steps.add(new EpisodeStep.Event(
                    steps.size(),
                    t,
                    turn,
                    ScenarioWorld.app(call),
                    ScenarioWorld.function(call),
                    notice.due().with(),
                    new EpisodeStep.Seen(notice.user(), notice.agent()),
                    notice.due().noise()));
            if (notice.error() != null) {
                failedEvents.put(notice.due().noise() ? "noise" : notice.due().id(), notice.error());
            }
        }
    }

    /** Returns the new steps that the user sees. */
    private List<EpisodeStep> forUser() {
        List<EpisodeStep> unseen = steps.subList(seenByUser, steps.size());
        seenByUser = steps.size();
        return unseen.stream().filter(EpisodeRunner::isForUser).toList();
    }

    private static boolean isForUser(EpisodeStep step) {
        return (step instanceof EpisodeStep.Event event && event.seen().user() != null)
                || (step instanceof EpisodeStep.Action action && action.actor() == Actor.USER)
                || step instanceof EpisodeStep.Proposal
                || step instanceof EpisodeStep.Message;
    }

    /** Returns the new steps that the assistant sees. */
    private List<EpisodeStep> forAgent() {
        List<EpisodeStep> unseen = steps.subList(seenByAgent, steps.size());
        seenByAgent = steps.size();
        return unseen.stream().filter(EpisodeRunner::isForAgent).toList();
    }

    private static boolean isForAgent(EpisodeStep step) {
        return (step instanceof EpisodeStep.Event event && event.seen().agent() != null)
                || step instanceof EpisodeStep.Action
                || step instanceof EpisodeStep.Reply;
    }

    private void userTurn() {
        if (open != null) {
            answer(rule == TurnRule.PARE ? 1 : MOVES);
            if (open != null && rule != TurnRule.PARE) {
                replied(new Reply(Answer.IGNORE, ""));
            }
            return;
        }
        for (int i = 0; i < (rule == TurnRule.DAY ? MOVES : 1) && move(); ) {
            i++;
        }
    }

    /** Asks the user for a reply; before each further request the user makes a move. */
    private void answer(int requests) {
        for (int i = 0; i < requests && open != null; i++) {
            Reply reply = user.answer(forUser(), open);
            if (reply != null) {
                replied(reply);
            } else if (!move()) {
                return;
            }
        }
    }

    private void replied(Reply reply) {
        steps.add(new EpisodeStep.Reply(steps.size(), world.now(), turn, openStep, reply.answer(), reply.text()));
        accepted = reply.answer() == Answer.ACCEPT;
        String call = EnumName.of(reply.answer());
        if (reply.answer() != Answer.IGNORE) {
            world.said(Scenario.Actor.USER, call, reply.text());
        }
        if (reply.answer() == Answer.REJECT) {
            policy.rejected();
        }
        open = null;
    }

    /** Makes the user's next move; returns false if the user waits. */
    private boolean move() {
        Move move = user.act(forUser());
        if (move == null) {
            return false;
        }
        Result result = world.move(move.call(), move.with());
        action(Actor.USER, move.call(), move.with(), null, result);
        return true;
    }

    private void action(Actor actor, String call, Map<String, JsonNode> with, @Nullable Effect effect, Result result) {
        steps.add(new EpisodeStep.Action(
                steps.size(),
                world.now(),
                turn,
                actor,
                ScenarioWorld.app(call),
                ScenarioWorld.function(call),
                with,
                effect,
                result.value() == null ? null : result.value().toString(),
                result.error(),
                null));
    }

    private void agentTurn() {
        if (!accepted && open == null) {
            observe();
            if (open != null && rule != TurnRule.PARE) {
                answer(MOVES);
                if (open != null && rule == TurnRule.EVENT) {
                    replied(new Reply(Answer.IGNORE, ""));
                }
            }
        }
        if (accepted) {
            accepted = false;
            execute();
        }
    }

    private void observe() {
        policy.startTurn();
        for (int i = 0; i < OBSERVING_CALLS; i++) {
            Act act = agent.observe(forAgent());
            if (act instanceof Call call) {
                call(call, Actor.OBSERVE);
                continue;
            }
            String withheld = act instanceof Offer ? policy.withheld() : null;
            if (act instanceof Offer offer && withheld == null) {
                decide(EpisodeStep.Act.ACT, null);
                offer(offer);
            } else {
                decide(EpisodeStep.Act.SILENT, withheld);
            }
            return;
        }
        decide(EpisodeStep.Act.READ, null);
    }

    /** @param withheld why the policy withholds the offer, or null */
    private void decide(EpisodeStep.Act act, @Nullable String withheld) {
        ProactiveAgent.Judgement given = agent.judgement();
        ProactiveAgent.Judgement judged = given == null && withheld != null
                ? new ProactiveAgent.Judgement(null, null, null, List.of(), null)
                : given;
        steps.add(
                judged == null
                        ? new EpisodeStep.Decision(steps.size(), world.now(), turn, act)
                        : new EpisodeStep.Decision(
                                steps.size(),
                                world.now(),
                                turn,
                                act,
                                judged.p(),
                                judged.threshold(),
                                withheld == null ? judged.reason() : withheld,
                                judged.scenarios(),
                                judged.cost()));
    }

    private void offer(Offer offer) {
        open = offer;
        openStep = steps.size();
        steps.add(new EpisodeStep.Proposal(openStep, world.now(), turn, List.of(offer.text())));
        world.said(Scenario.Actor.AGENT, Scenario.PROPOSE, offer.text());
    }

    private void execute() {
        for (int i = 0; i < EXECUTING_CALLS; i++) {
            Act act = agent.execute(forAgent());
            if (act instanceof Call call) {
                call(call, Actor.EXECUTE);
                continue;
            }
            if (act instanceof Report report) {
                steps.add(new EpisodeStep.Message(steps.size(), world.now(), turn, Actor.EXECUTE, report.text()));
                world.said(Scenario.Actor.AGENT, Scenario.TELL, report.text());
            }
            return;
        }
    }

    private void call(Call call, Actor actor) {
        moveTo(world.now() + CALL_SECONDS);
        Result result = world.call(call.call(), call.with(), actor == Actor.EXECUTE);
        action(actor, call.call(), call.with(), world.effect(call.call()), result);
    }
}
