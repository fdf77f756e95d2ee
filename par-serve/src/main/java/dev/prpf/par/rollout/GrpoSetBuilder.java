package dev.prpf.par.rollout;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Makes the GRPO set (PRPF A.4): keep the groups that disagree, resize with at least the silent share, hold out a share of the silent and of
 * the intervening records each. Records that are repeated stay in train, so that no copy of a held-out one is trained on.
 */
public final class GrpoSetBuilder {
    private final GrpoSetSettings settings;
    private final WeightedDraws draws;
    private final List<GroupSummary> train = new ArrayList<>();
    private final List<GroupSummary> test = new ArrayList<>();
    private int distinct;

    private GrpoSetBuilder(GrpoSetSettings settings) {
        this.settings = settings;
        draws = new WeightedDraws(settings);
    }

    /**
     * Makes the set; the order of the groups does not matter.
     *
     * @param groups with ids that differ
     * @throws PrpfException 65 if no group disagrees, or none that does is silent though a share must be
     */
    public static GrpoSet build(List<GroupSummary> groups, GrpoSetSettings settings) {
        return new GrpoSetBuilder(settings).build(groups);
    }

    private GrpoSet build(List<GroupSummary> groups) {
        List<GroupSummary> retained =
                only(groups, group -> !hasZeroVariance(group) && !isTooHard(group) && !isTooEasy(group));
        if (retained.isEmpty()) {
            throw new InvalidDataException("of " + groups.size() + " rollout groups none is left: the rewards of "
                    + count(groups, this::hasZeroVariance) + " have a standard deviation of at most "
                    + settings.stdAbove() + ", "
                    + count(groups, this::isTooHard) + " are correct less often than " + settings.correctFrom()
                    + ", " + count(groups, this::isTooEasy) + " more often than " + settings.correctTo()
                    + "; roll out more prompts, or at a higher temperature");
        }
        List<GroupSummary> silent = only(retained, GroupSummary::silent);
        List<GroupSummary> interventions = only(retained, GroupSummary::intervention);
        Quota quota = Quota.of(silent.size(), interventions.size(), settings);
        add(silent, quota.silent());
        add(interventions, quota.interventions());
        return new GrpoSet(ids(draws.shuffled(train)), ids(test), counts(groups, retained));
    }

    private boolean hasZeroVariance(GroupSummary group) {
        return !(group.std() > settings.stdAbove());
    }

    private boolean isTooHard(GroupSummary group) {
        return !hasZeroVariance(group) && group.correctRate() < settings.correctFrom();
    }

    private boolean isTooEasy(GroupSummary group) {
        return !hasZeroVariance(group) && group.correctRate() > settings.correctTo();
    }

    private GrpoSet.Counts counts(List<GroupSummary> groups, List<GroupSummary> retained) {
        return new GrpoSet.Counts(
                groups.size(),
                count(groups, this::hasZeroVariance),
                count(groups, this::isTooHard),
                count(groups, this::isTooEasy),
                retained.size(),
                count(retained, GroupSummary::silent),
                count(retained, group -> group.preferred(settings)),
                count(retained, group -> group.intervention() && group.emphasised(settings)),
                count(retained, group -> group.silent() && group.emphasised(settings)),
                retained.size() - distinct,
                train.size() + test.size() - distinct,
                train.size(),
                count(train, GroupSummary::silent),
                test.size(),
                count(test, GroupSummary::silent));
    }

    private void add(List<GroupSummary> stratum, int count) {
        List<GroupSummary> chosen = draws.shuffled(draws.distinct(stratum, count));
        int held = (int) Math.round(chosen.size() * settings.testShare());
        test.addAll(chosen.subList(0, held));
        List<GroupSummary> rest = chosen.subList(held, chosen.size());
        train.addAll(rest);
        if (settings.repeats() && !rest.isEmpty()) {
            train.addAll(draws.repeated(rest, count - chosen.size()));
        }
        distinct += chosen.size();
    }

    /** In the order of ids. */
    private static List<GroupSummary> only(List<GroupSummary> groups, Predicate<GroupSummary> rule) {
        return groups.stream()
                .filter(rule)
                .sorted(Comparator.comparing(GroupSummary::id))
                .toList();
    }

    private static int count(List<GroupSummary> groups, Predicate<GroupSummary> rule) {
        return (int) groups.stream().filter(rule).count();
    }

    private static List<String> ids(List<GroupSummary> groups) {
        return groups.stream().map(GroupSummary::id).toList();
    }
}
