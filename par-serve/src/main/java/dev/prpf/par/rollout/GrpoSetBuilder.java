package dev.prpf.par.rollout;

import dev.prpf.base.error.PrpfException;
import java.util.ArrayList;
import java.util.List;

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
     * Makes the set.
     *
     * @param groups with ids that differ
     * @throws PrpfException 65 if no group disagrees, or none that does is silent though a share must be
     */
    public static GrpoSet build(List<GroupSummary> groups, GrpoSetSettings settings) {
        return new GrpoSetBuilder(settings).build(GroupFilter.of(groups, settings));
    }

    private GrpoSet build(GroupFilter filter) {
        List<GroupSummary> silent = filter.silent();
        List<GroupSummary> interventions = filter.interventions();
        Quota quota = Quota.of(silent.size(), interventions.size(), settings);
        add(silent, quota.silent());
        add(interventions, quota.interventions());
        List<GroupSummary> order = draws.shuffled(train);
        return new GrpoSet(ids(order), ids(test), counts(filter));
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

    private GrpoSet.Counts counts(GroupFilter filter) {
        List<GroupSummary> retained = filter.retained();
        return new GrpoSet.Counts(
                filter.groups(),
                filter.flat(),
                filter.tooHard(),
                filter.tooEasy(),
                retained.size(),
                silent(retained),
                (int) retained.stream()
                        .filter(group -> group.preferred(settings))
                        .count(),
                (int) filter.interventions().stream()
                        .filter(this::isArgumentWeak)
                        .count(),
                (int) filter.silent().stream().filter(this::triggersFalsely).count(),
                retained.size() - distinct,
                train.size() + test.size() - distinct,
                train.size(),
                silent(train),
                test.size(),
                silent(test));
    }

    private boolean isArgumentWeak(GroupSummary group) {
        return group.argumentWeak() >= settings.emphasisFrom();
    }

    private boolean triggersFalsely(GroupSummary group) {
        return group.falseTriggers() >= settings.emphasisFrom();
    }

    private static int silent(List<GroupSummary> groups) {
        return (int) groups.stream().filter(group -> !group.intervention()).count();
    }

    private static List<String> ids(List<GroupSummary> groups) {
        return groups.stream().map(GroupSummary::id).toList();
    }
}
