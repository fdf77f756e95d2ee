package dev.prpf.eval.world;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.eval.world.EpisodeMetrics.Decision;
import dev.prpf.eval.world.EpisodeMetrics.Dialogue;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The score of several episodes. Percentages from 0 to 100; null without a denominator.
 *
 * @param success percentage of the episodes with a verdict
 * @param proposalRate proposals per turn, in percent
 * @param acceptanceRate accepted proposals, in percent
 * @param reads reading calls per episode
 * @param writes writing calls per episode
 * @param decisions number of proposals by the user's decision
 * @param day figures of the episodes with goals, or null
 */
record EpisodeScore(
        EpisodeMetrics.Mode mode,
        int episodes,
        @Nullable Double success,
        @Nullable Double proposalRate,
        @Nullable Double acceptanceRate,
        @Nullable Double reads,
        double writes,
        int orphanReplies,
        int withoutPermission,
        Map<Decision, Integer> decisions,
        List<EpisodeMetrics> each,
        DayMetrics.@Nullable Score day) {
    private static final double PERCENT = 100;

    /** Success, proposals per turn and accepted proposals in percent, and reading calls per episode. */
    static final List<Ratio<EpisodeMetrics>> RATIOS = List.of(
            new Ratio<>(
                    "success",
                    one -> Boolean.TRUE.equals(one.verdict()) ? PERCENT : 0,
                    one -> one.verdict() == null ? 0 : 1),
            new Ratio<>("proposals", one -> PERCENT * one.proposals(), EpisodeMetrics::turns),
            new Ratio<>("accepted", one -> PERCENT * one.accepted(), EpisodeMetrics::proposals),
            new Ratio<>("reads", one -> Ratio.number(one.reads()), one -> 1));

    /**
     * A ratio of two sums over episodes. A NaN term is unknown and makes the ratio unknown.
     *
     * @param <E> counts of an episode
     */
    record Ratio<E>(String name, ToDoubleFunction<E> of, ToDoubleFunction<E> by) {
        /** Returns the number, or NaN if it is unknown. */
        static double number(@Nullable Number value) {
            return value == null ? Double.NaN : value.doubleValue();
        }

        static @Nullable Double orNull(double value) {
            return Double.isNaN(value) ? null : (Double) value;
        }

        /** Returns the values over all episodes; NaN without a denominator. */
        static <E> double[] values(List<Ratio<E>> ratios, List<E> episodes) {
            return Bootstrap.ratios(
                    sums(ratios, List.of(episodes), Ratio::of), sums(ratios, List.of(episodes), Ratio::by), new int[] {1
                    });
        }

        /** Returns the figures over all episodes; the bootstrap draws whole groups of episodes. */
        static <E> List<Figure> figures(List<Ratio<E>> ratios, List<List<E>> groups) {
            double[][] parts = sums(ratios, groups, Ratio::of);
            double[][] wholes = sums(ratios, groups, Ratio::by);
            double[] values =
                    values(ratios, groups.stream().flatMap(List::stream).toList());
            List<@Nullable Interval> intervals =
                    Bootstrap.DEFAULT.ofGroups(groups.size(), times -> Bootstrap.ratios(parts, wholes, times));
            return IntStream.range(0, values.length)
                    .mapToObj(i -> new Figure(
                            orNull(values[i]),
                            orNull(Arrays.stream(wholes)
                                    .mapToDouble(group -> group[i])
                                    .sum()),
                            intervals.get(i)))
                    .toList();
        }

        /** Returns the sums of the numerators or of the denominators, shape (groups, ratios). */
        private static <E> double[][] sums(
                List<Ratio<E>> ratios, List<List<E>> groups, Function<Ratio<E>, ToDoubleFunction<E>> term) {
            return groups.stream()
                    .map(group -> ratios.stream()
                            .mapToDouble(ratio -> group.stream()
                                    .mapToDouble(term.apply(ratio))
                                    .sum())
                            .toArray())
                    .toArray(double[][]::new);
        }
    }

    /**
     * A figure of several episodes.
     *
     * @param value null without a denominator, or if a part of it is unknown
     * @param n the denominator; null if unknown
     * @param interval by bootstrap, clustered by scenario; null for one scenario
     */
    record Figure(@Nullable Double value, @Nullable Double n, @Nullable Interval interval) {}

    /**
     * @param each at least one episode
     * @param days counts of the episodes with goals
     */
    static EpisodeScore of(EpisodeMetrics.Mode mode, List<EpisodeMetrics> each, List<DayMetrics> days) {
        Map<Decision, Integer> decisions = new EnumMap<>(Decision.class);
        for (Decision decision : Decision.values()) {
            decisions.put(decision, sum(each, one -> count(one.dialogues(), decision)));
        }
        double[] values = Ratio.values(RATIOS, each);
        return new EpisodeScore(
                mode,
                each.size(),
                Ratio.orNull(values[0]),
                Ratio.orNull(values[1]),
                Ratio.orNull(values[2]),
                Ratio.orNull(values[3]),
                sum(each, EpisodeMetrics::writes) / (double) each.size(),
                sum(each, EpisodeMetrics::orphanReplies),
                sum(each, EpisodeMetrics::withoutPermission),
                decisions,
                each,
                DayMetrics.score(days));
    }

    private static int count(@Nullable List<Dialogue> dialogues, Decision decision) {
        return dialogues == null
                ? 0
                : Math.toIntExact(dialogues.stream()
                        .filter(one -> one.decision() == decision)
                        .count());
    }

    private static int sum(List<EpisodeMetrics> each, ToIntFunction<EpisodeMetrics> count) {
        return each.stream().mapToInt(count).sum();
    }
}
