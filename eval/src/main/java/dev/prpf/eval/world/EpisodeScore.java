package dev.prpf.eval.world;

import dev.prpf.eval.world.EpisodeMetrics.Decision;
import dev.prpf.eval.world.EpisodeMetrics.Dialogue;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;
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
    /**
     * @param each at least one episode
     * @param days counts of the episodes with goals
     */
    static EpisodeScore of(EpisodeMetrics.Mode mode, List<EpisodeMetrics> each, List<DayMetrics> days) {
        int n = each.size();
        List<Boolean> verdicts = each.stream()
                .map(EpisodeMetrics::verdict)
                .filter(Objects::nonNull)
                .toList();
        int right = Math.toIntExact(verdicts.stream().filter(verdict -> verdict).count());
        int proposals = sum(each, EpisodeMetrics::proposals);
        Map<Decision, Integer> decisions = new EnumMap<>(Decision.class);
        for (Decision decision : Decision.values()) {
            decisions.put(decision, sum(each, one -> count(one.dialogues(), decision)));
        }
        boolean countable = each.stream().allMatch(one -> one.reads() != null);
        return new EpisodeScore(
                mode,
                n,
                percent(right, verdicts.size()),
                percent(proposals, sum(each, EpisodeMetrics::turns)),
                percent(sum(each, EpisodeMetrics::accepted), proposals),
                countable ? (Double) (sum(each, one -> Objects.requireNonNull(one.reads())) / (double) n) : null,
                sum(each, EpisodeMetrics::writes) / (double) n,
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

    private static @Nullable Double percent(int part, int whole) {
        return whole == 0 ? null : (Double) (100.0 * part / whole);
    }
}
