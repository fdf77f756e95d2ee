package dev.prpf.par.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Answer;
import dev.prpf.data.world.World;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.data.world.scenario.Scenario.Entry;
import dev.prpf.data.world.scenario.Scenario.Goal;
import dev.prpf.data.world.scenario.ScenarioWorld;
import dev.prpf.par.agent.ProactiveAgent.Offer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The users without a model; add a user here. */
public enum Users implements SimulatedUser.Source {
    /** Makes the scenario's moves at their times and accepts every offer, but gives the refusals of the expected run. */
    SCRIPTED((world, seed) -> new Scripted(world)),
    /**
     * Accepts an offer that meets an open goal and refuses others. The scenario's habits are numbers. {@code trust} is the probability to
     * accept without reading (0.5). {@code attention} is the probability to notice an offer (1), and {@code fatigue} its loss with each
     * offer (0.1). {@code patience} is the number of refusals before offers are ignored (3).
     */
    RULES(ByRules::new),
    /** Lets a language model play the user; see {@link ChatPlayer}. */
    CHAT((world, seed) -> {
        throw new UsageException("--user chat needs --user-model FILE");
    });

    @SuppressWarnings("ImmutableEnumChecker") // the lambdas have no state
    private final BiFunction<ScenarioWorld, Long, SimulatedUser> starts;

    Users(BiFunction<ScenarioWorld, Long, SimulatedUser> starts) {
        this.starts = starts;
    }

    @Override
    public SimulatedUser start(ScenarioWorld world, long seed) {
        return starts.apply(world, seed);
    }

    @Override
    public String id() {
        return EnumName.of(this);
    }

    /** Returns the user of an episode that repeats its moves and replies. */
    public static SimulatedUser replay(Episode episode) {
        return new Replay(episode);
    }

    private static SimulatedUser.@Nullable Move toApp(ScenarioWorld world, String app) {
        return app.equals(world.world().activeApp()) || app.equals(World.SYSTEM)
                ? null
                : world.world().screen() == null
                        ? new SimulatedUser.Move("System.open_app", Map.of("app_name", TextNode.valueOf(app)))
                        : new SimulatedUser.Move("System.go_home", Map.of());
    }

    private static class Scripted implements SimulatedUser {
        final ScenarioWorld world;
        private final Deque<Entry> moves;
        private final Deque<Entry> replies = new ArrayDeque<>();

        Scripted(ScenarioWorld world) {
            this.world = world;
            this.moves = new ArrayDeque<>(world.scenario().user().moves());
            world.scenario().expected().stream()
                    .filter(entry -> Scenario.ACCEPT.equals(entry.call()) || Scenario.REJECT.equals(entry.call()))
                    .forEach(replies::add);
        }

        @Override
        public @Nullable Move act(List<EpisodeStep> seen) {
            Entry next = moves.peek();
            Double due = next == null ? null : world.queue().due(next);
            if (next == null || due == null || due > world.now()) {
                return null;
            }
            String call = Objects.requireNonNull(next.call());
            Move first = toApp(world, ScenarioWorld.app(call));
            return first != null ? first : new Move(call, moves.remove().with());
        }

        @Override
        public @Nullable Reply answer(List<EpisodeStep> seen, Offer offer) {
            Entry reply = replies.poll();
            boolean refuses = reply != null && Scenario.REJECT.equals(reply.call());
            JsonNode text = reply == null ? null : reply.with().get(Scenario.TEXT);
            return new Reply(refuses ? Answer.REJECT : Answer.ACCEPT, text == null ? "" : text.asText());
        }
    }

    private static final class ByRules extends Scripted {
        private final SplittableRandom random;
        private final Set<String> known;
        private int offers;
        private int refusals;
        private @Nullable String toRead;
        private @Nullable Offer considered; // the open offer for which the user reads first

        ByRules(ScenarioWorld world, long seed) {
            super(world);
            this.random = World.random(seed, "user");
            this.known = new HashSet<>(world.scenario().user().seen());
        }

        private double habit(String name, double usual) {
            return world.scenario().user().habits().getOrDefault(name, usual);
        }

        @Override
        public @Nullable Move act(List<EpisodeStep> seen) {
            read();
            Move reading = toRead == null ? null : toApp(world, toRead);
            return reading == null ? super.act(seen) : reading;
        }

        /** Notes the events that the user has seen on the visible app. */
        private void read() {
            String active = world.world().activeApp();
            toRead = active.equals(toRead) ? null : toRead;
            world.scenario().events().stream()
                    .filter(event -> event.call() != null
                            && ScenarioWorld.app(event.call()).equals(active))
                    .filter(event -> world.queue().happened(event.id()) != null)
                    .forEach(event -> known.add(event.id()));
        }

        @Override
        public @Nullable Reply answer(List<EpisodeStep> seen, Offer offer) {
            read();
            boolean first = !offer.equals(considered);
            considered = null;
            if (first) {
                double attention = habit("attention", 1) - habit("fatigue", 0.1) * offers++;
                if (refusals >= habit("patience", 3) || random.nextDouble() >= attention) {
                    return new Reply(Answer.IGNORE, "");
                }
            }
            Goal goal = world.openGoals().stream()
                    .filter(open -> meets(offer, open))
                    .findFirst()
                    .orElse(null);
            if (goal == null) {
                refusals++;
                return new Reply(Answer.REJECT, "No, thanks.");
            }
            if (first && unread(goal) != null && random.nextDouble() >= habit("trust", 0.5)) {
                toRead = unread(goal);
                considered = offer;
                return null;
            }
            return new Reply(Answer.ACCEPT, "Yes, please.");
        }

        /** Returns the app of the event that opened the goal, if the user has not seen the event. */
        private @Nullable String unread(Goal goal) {
            return world.scenario().events().stream()
                    .filter(event -> event.id().equals(goal.from()) && !known.contains(event.id()))
                    .map(Entry::call)
                    .filter(Objects::nonNull)
                    .map(ScenarioWorld::app)
                    .findFirst()
                    .orElse(null);
        }

        private static boolean meets(Offer offer, Goal goal) {
            if (offer.calls().isEmpty()) {
                return !goal.where().isEmpty()
                        && goal.where().values().stream()
                                .flatMap(ByRules::texts)
                                .allMatch(text ->
                                        offer.text().toLowerCase(Locale.ROOT).contains(text));
            }
            return offer.calls().stream()
                    .anyMatch(call -> call.call().equals(goal.wants()) && Scenario.matches(goal.where(), call.with()));
        }

        private static Stream<String> texts(JsonNode condition) {
            List<String> texts = new ArrayList<>();
            if (condition.isValueNode()) {
                texts.add(condition.asText().toLowerCase(Locale.ROOT));
            }
            condition.forEach(inner -> texts(inner).forEach(texts::add));
            return texts.stream();
        }
    }

    private static final class Replay implements SimulatedUser {
        /** @param considering the user makes the move while an offer is open */
        private record Taken(EpisodeStep step, boolean considering) {}

        private final Deque<Taken> steps = new ArrayDeque<>();
        private boolean considers;

        Replay(Episode episode) {
            boolean open = false;
            for (EpisodeStep step : episode.steps()) {
                boolean answers = step instanceof EpisodeStep.Reply reply && reply.to() != null;
                boolean moves = step instanceof EpisodeStep.Action action
                        && action.actor() == EpisodeStep.Actor.USER
                        && action.cause() == null;
                if (answers || moves) {
                    steps.add(new Taken(step, open));
                }
                open = step instanceof EpisodeStep.Proposal || (open && !answers);
            }
        }

        @Override
        public @Nullable Move act(List<EpisodeStep> seen) {
            Taken next = steps.peek();
            if (next == null || next.considering != considers || !(next.step instanceof EpisodeStep.Action action)) {
                return null;
            }
            considers = false;
            steps.remove();
            return new Move(action.app() + "." + action.function(), action.args());
        }

        @Override
        public @Nullable Reply answer(List<EpisodeStep> seen, Offer offer) {
            if (steps.isEmpty()) {
                return new Reply(Answer.IGNORE, "");
            }
            considers = !(steps.element().step instanceof EpisodeStep.Reply);
            if (steps.element().step instanceof EpisodeStep.Reply reply) {
                steps.remove();
                return new Reply(reply.answer(), reply.text() == null ? "" : reply.text());
            }
            return null;
        }
    }
}
