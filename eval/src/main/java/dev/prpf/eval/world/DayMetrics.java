package dev.prpf.eval.world;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Act;
import dev.prpf.data.episode.EpisodeStep.Actor;
import dev.prpf.data.episode.EpisodeStep.Answer;
import dev.prpf.data.episode.EpisodeStep.Cost;
import dev.prpf.eval.world.EpisodeScore.Figure;
import dev.prpf.eval.world.EpisodeScore.Ratio;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Counts of one episode with goals.
 *
 * @param hours from the start to the end
 * @param goals goals with a window that has opened
 * @param helped goals that the assistant met after an accepted proposal, within the window
 * @param missed goals that no call met
 * @param shown proposals
 * @param disturbed proposals that were refused or ignored
 * @param quiet decisions while no goal was open
 * @param falseTriggers proposals while no goal was open
 * @param delay seconds from the start of the window to the accepted proposal, summed over the helped goals
 * @param refusedWrites writes without permission, which the engine refused; null if unknown
 * @param withheld silent decisions by their reason
 * @param silentCost total cost of the silent decisions; a part is null if it is unknown for one of them
 * @param cost total cost of all decisions, with null parts likewise
 */
record DayMetrics(
        String episode,
        String scenario,
        double hours,
        int goals,
        int helped,
        int missed,
        int shown,
        int disturbed,
        int quiet,
        int falseTriggers,
        double delay,
        @Nullable Integer refusedWrites,
        Map<String, Integer> withheld,
        Cost silentCost,
        Cost cost) {
    private static final double HOUR = 3600;
    private static final double PERCENT = 100;

    private static final List<Ratio<DayMetrics>> RATIOS = List.of(
            new Ratio<>("helped", day -> PERCENT * day.helped, DayMetrics::goals),
            new Ratio<>("missed", day -> PERCENT * day.missed, DayMetrics::goals),
            new Ratio<>("disturbed_an_hour", DayMetrics::disturbed, DayMetrics::hours),
            new Ratio<>("precision", day -> PERCENT * day.helped, DayMetrics::shown),
            new Ratio<>("ftr", day -> PERCENT * day.falseTriggers, DayMetrics::quiet),
            new Ratio<>("delay", DayMetrics::delay, DayMetrics::helped),
            new Ratio<>("writes_without_permission", day -> Ratio.number(day.refusedWrites), day -> 1),
            cost("silent_tokens", Cost::tokens),
            cost("silent_flops", Cost::flops),
            cost("silent_seconds", Cost::seconds));

    private static Ratio<DayMetrics> cost(String name, Function<Cost, @Nullable Number> part) {
        return new Ratio<>(
                name,
                day -> PERCENT * Ratio.number(part.apply(day.silentCost)),
                day -> Ratio.number(part.apply(day.cost)));
    }

    /**
     * The figures of several episodes.
     *
     * @param figures percentages of goals, proposals, decisions or cost; numbers an hour or an episode; seconds
     * @param withheld silent decisions by their reason
     */
    record Score(Map<String, Figure> figures, Map<String, Integer> withheld, List<DayMetrics> each) {}

    /** Returns the score of episodes; null without an episode with goals. */
    static @Nullable Score score(List<DayMetrics> each) {
        if (each.isEmpty()) {
            return null;
        }
        List<List<DayMetrics>> scenarios = List.copyOf(each.stream()
                .collect(Collectors.groupingBy(DayMetrics::scenario, TreeMap::new, Collectors.toList()))
                .values());
        List<Figure> values = Ratio.figures(RATIOS, scenarios);
        Map<String, Figure> figures = new LinkedHashMap<>();
        for (int i = 0; i < values.size(); i++) {
            figures.put(RATIOS.get(i).name(), values.get(i));
        }
        Map<String, Integer> withheld = new TreeMap<>();
        each.forEach(day -> day.withheld.forEach((reason, n) -> withheld.merge(reason, n, Integer::sum)));
        return new Score(figures, withheld, each);
    }

    /** Counts an episode; null if its header lacks the goals or the met goals, or if a step has no time. */
    static @Nullable DayMetrics of(Episode episode) {
        Map<String, JsonNode> facts = episode.header().facts();
        JsonNode goals = facts.get(EpisodeRunner.GOALS);
        JsonNode met = facts.get(EpisodeRunner.MET_GOALS);
        boolean timed = episode.steps().stream().allMatch(step -> step.t() != null);
        return goals == null || goals.isEmpty() || met == null || !timed
                ? null
                : new Counts(episode, goals, met).metrics();
    }

    /** Counts the steps of an episode in their order. */
    private static final class Counts {
        private final Episode episode;
        private final JsonNode goals;
        private final JsonNode met;
        private final Map<String, Integer> withheld = new TreeMap<>();
        private final List<Cost> silent = new ArrayList<>();
        private final List<Cost> costs = new ArrayList<>();
        private int shown;
        private int accepted;
        private int quiet;
        private int falseTriggers;
        private int helped;
        private double delay;
        private double proposed;

        Counts(Episode episode, JsonNode goals, JsonNode met) {
            this.episode = episode;
            this.goals = goals;
            this.met = met;
        }

        private static double time(EpisodeStep step) {
            return Objects.requireNonNull(step.t());
        }

        DayMetrics metrics() {
            episode.steps().forEach(this::add);
            Episode.Header header = episode.header();
            JsonNode refused = header.facts().get(EpisodeRunner.REFUSED_WRITES);
            return new DayMetrics(
                    header.episode(),
                    String.valueOf(header.scenario()),
                    time(episode.end()) / HOUR,
                    goals.size(),
                    helped,
                    goals.size() - met.size(),
                    shown,
                    shown - accepted,
                    quiet,
                    falseTriggers,
                    delay,
                    refused == null ? null : (Integer) refused.asInt(),
                    withheld,
                    sum(silent),
                    sum(costs));
        }

        private void add(EpisodeStep step) {
            if (step instanceof EpisodeStep.Proposal proposal) {
                shown++;
                proposed = time(proposal);
            } else if (step instanceof EpisodeStep.Reply reply) {
                accepted += reply.answer() == Answer.ACCEPT ? 1 : 0;
            } else if (step instanceof EpisodeStep.Decision decision) {
                decided(decision);
            } else if (step instanceof EpisodeStep.Action action
                    && action.actor() == Actor.EXECUTE
                    && action.error() == null) {
                executed(time(action));
            }
        }

        private void decided(EpisodeStep.Decision decision) {
            if (!isGoalOpen(time(decision))) {
                quiet++;
                falseTriggers += decision.act() == Act.ACT ? 1 : 0;
            }
            if (decision.reason() != null) {
                withheld.merge(decision.reason(), 1, Integer::sum);
            }
            if (decision.cost() != null) {
                costs.add(decision.cost());
                if (decision.act() == Act.SILENT) {
                    silent.add(decision.cost());
                }
            }
        }

        private boolean isGoalOpen(double t) {
            return goals.properties().stream().anyMatch(goal -> {
                JsonNode window = goal.getValue();
                JsonNode done = met.get(goal.getKey());
                return window.get(0).asDouble() <= t
                        && (window.get(1).isNull() || t <= window.get(1).asDouble())
                        && (done == null || t <= done.asDouble());
            });
        }

        /** Counts the goals that a call at this time met. */
        private void executed(double t) {
            met.properties().forEach(goal -> {
                if (goal.getValue().asDouble() == t) {
                    helped++;
                    delay += proposed - goals.get(goal.getKey()).get(0).asDouble();
                }
            });
        }

        private static Cost sum(Collection<Cost> costs) {
            Double tokens = sum(costs, Cost::tokens);
            return new Cost(
                    tokens == null ? null : (Integer) tokens.intValue(),
                    sum(costs, Cost::flops),
                    sum(costs, Cost::seconds));
        }

        private static @Nullable Double sum(Collection<Cost> costs, Function<Cost, @Nullable Number> part) {
            return Ratio.orNull(costs.stream()
                    .mapToDouble(cost -> Ratio.number(part.apply(cost)))
                    .sum());
        }
    }
}
