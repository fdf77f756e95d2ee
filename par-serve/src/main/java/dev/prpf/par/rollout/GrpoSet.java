package dev.prpf.par.rollout;

import static dev.prpf.base.config.Rule.require;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.rollout.RolloutGroup.GroupSummary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The samples of a GRPO set, and the counts of their selection.
 *
 * @param train ids in training order, with duplicates for repeated records
 * @param test held-out ids, disjoint from train
 * @param counts of every step
 */
public record GrpoSet(List<String> train, List<String> test, Counts counts) {
    private static final Logger LOG = LoggerFactory.getLogger(GrpoSet.class);
    private static final double ROUNDING = 1e-9;

    /**
     * The counts of each selection step.
     *
     * @param groups number of groups read
     * @param zeroVariance excluded for nearly equal rewards
     * @param tooHard excluded since hardly any rollout is correct
     * @param tooEasy excluded since nearly all rollouts are correct
     * @param retained retained by PRPF eq. 16
     * @param retainedSilent silent groups among the retained
     * @param preferred retained interventions in the high-variance disagreement region
     * @param argumentWeak emphasised retained interventions
     * @param falseTriggers emphasised retained silent groups
     * @param leftOut retained groups excluded by the set's size or silent share
     * @param repeated number of copies
     * @param train number of records, including copies
     * @param trainSilent silent records among them
     * @param test number of held-out records
     * @param testSilent silent records among them
     */
    public record Counts(
            int groups,
            @JsonProperty("flat") int zeroVariance,
            int tooHard,
            int tooEasy,
            int retained,
            int retainedSilent,
            int preferred,
            int argumentWeak,
            int falseTriggers,
            int leftOut,
            int repeated,
            int train,
            int trainSilent,
            int test,
            int testSilent) {}

    /**
     * Makes the set (PRPF A.4): retains the groups that disagree, resizes with at least the silent share, and holds out a share of both
     * classes. Repeated records stay in train, so that no held-out record has a copy there. The groups' order is irrelevant.
     *
     * @param groups with unique ids
     * @throws PrpfException 65 if no group disagrees, or no such group is silent although a silent share is required
     */
    public static GrpoSet build(List<GroupSummary> groups, GrpoSetSettings settings) {
        return new Builder(settings).build(groups);
    }

    private static final class Builder {
        private final GrpoSetSettings settings;
        private final SplittableRandom random;
        private final List<GroupSummary> train = new ArrayList<>();
        private final List<GroupSummary> test = new ArrayList<>();
        private int distinct;

        Builder(GrpoSetSettings settings) {
            this.settings = settings;
            random = new SplittableRandom(settings.seed());
        }

        GrpoSet build(List<GroupSummary> groups) {
            List<GroupSummary> retained =
                    only(groups, group -> !hasZeroVariance(group) && !isTooHard(group) && !isTooEasy(group));
            if (retained.isEmpty()) {
                throw new InvalidDataException("of " + groups.size() + " rollout groups none remains; rewards of "
                        + count(groups, this::hasZeroVariance) + " have a standard deviation of at most "
                        + settings.stdAbove() + ", " + count(groups, this::isTooHard)
                        + " are correct less often than " + settings.correctFrom() + ", "
                        + count(groups, this::isTooEasy) + " more often than " + settings.correctTo()
                        + "; roll out more prompts, or at a higher temperature");
            }
            List<GroupSummary> silent = only(retained, GroupSummary::silent);
            List<GroupSummary> interventions = only(retained, GroupSummary::intervention);
            Quota quota = quota(silent.size(), interventions.size());
            add(silent, quota.silent());
            add(interventions, quota.interventions());
            return new GrpoSet(ids(shuffled(train)), ids(test), counts(groups, retained));
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

        private Counts counts(List<GroupSummary> groups, List<GroupSummary> retained) {
            return new Counts(
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

        /** The number of records of each kind: the retained groups' mixture, with at least the silent share. */
        private record Quota(int silent, int interventions) {}

        private Quota quota(int silent, int interventions) {
            if (silent == 0 && settings.silentShare() > 0) {
                throw new InvalidDataException("silent-share = " + settings.silentShare()
                        + ", but none of the " + interventions
                        + " remaining groups is silent; roll out silent samples too, or set silent-share to 0");
            }
            int size = settings.repeats() ? settings.size() : Math.min(settings.size(), silent + interventions);
            int own = (int) Math.round((double) size * silent / (silent + interventions));
            int wanted = Math.max(own, (int) Math.ceil(settings.silentShare() * size - ROUNDING));
            if (settings.repeats()) {
                int share = interventions == 0 ? size : wanted;
                return new Quota(share, size - share);
            }
            int quiet = Math.min(silent, wanted);
            return new Quota(quiet, fitting(quiet, Math.min(interventions, size - quiet)));
        }

        /** Returns the number of interventions that keeps the silent share if silent groups are scarce. */
        private int fitting(int silent, int interventions) {
            double share = settings.silentShare();
            if (share == 0) {
                return interventions;
            }
            int fitting = (int) Math.min(interventions, Math.floor(silent * (1 - share) / share + ROUNDING));
            if (2 * fitting < interventions) {
                LOG.warn(
                        "set.silent-share = {}: for {} silent groups only {} of {} interventions are in the set; roll"
                                + " out more silent samples, or lower it",
                        share,
                        silent,
                        fitting,
                        interventions);
            }
            return fitting;
        }

        private void add(List<GroupSummary> stratum, int count) {
            List<GroupSummary> chosen = shuffled(distinct(stratum, count));
            int held = (int) Math.round(chosen.size() * settings.testShare());
            test.addAll(chosen.subList(0, held));
            List<GroupSummary> rest = chosen.subList(held, chosen.size());
            train.addAll(rest);
            if (settings.repeats() && !rest.isEmpty()) {
                train.addAll(repeated(rest, count - chosen.size()));
            }
            distinct += chosen.size();
        }

        private record Keyed(GroupSummary group, double key) {}

        /** Draws by weight without replacement (Efraimidis and Spirakis 2006: the largest u^(1/w)), preferred groups before all others. */
        private List<GroupSummary> distinct(List<GroupSummary> groups, int count) {
            List<Keyed> keyed = new ArrayList<>();
            for (GroupSummary group : groups) {
                double key = Math.log(1 - random.nextDouble()) / group.weight(settings);
                keyed.add(new Keyed(group, key));
            }
            keyed.sort(Comparator.comparing((Keyed one) -> !one.group().preferred(settings))
                    .thenComparing(Comparator.comparingDouble(Keyed::key).reversed()));
            return keyed.stream().limit(count).map(Keyed::group).toList();
        }

        /** Draws by weight with replacement. */
        private List<GroupSummary> repeated(List<GroupSummary> groups, int count) {
            double all =
                    groups.stream().mapToDouble(group -> group.weight(settings)).sum();
            List<GroupSummary> drawn = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                double left = random.nextDouble() * all;
                int at = 0;
                while (at < groups.size() - 1 && left >= groups.get(at).weight(settings)) {
                    left -= groups.get(at++).weight(settings);
                }
                drawn.add(groups.get(at));
            }
            return drawn;
        }

        private List<GroupSummary> shuffled(List<GroupSummary> groups) {
            List<GroupSummary> order = new ArrayList<>(groups);
            for (int i = order.size() - 1; i > 0; i--) {
                int j = random.nextInt(i + 1);
                GroupSummary other = order.get(j);
                order.set(j, order.get(i));
                order.set(i, other);
            }
            return order;
        }

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

    /**
     * The rules that select a GRPO set from rollout groups (PRPF A.4). The paper has no values for the TP-quality threshold and the weights; ours
     * are used.
     *
     * @param stdAbove groups with a larger standard deviation of rewards are retained (eq. 16)
     * @param correctFrom minimum retained correctness rate (eq. 16)
     * @param correctTo maximum retained correctness rate (eq. 16)
     * @param qualityAbove an intervention is correct iff its quality is above this
     * @param preferredStdAbove interventions with a larger standard deviation and a correctness rate between the next two bounds are preferred
     * @param preferredCorrectAbove exclusive lower bound of the correctness rate of preferred interventions
     * @param preferredCorrectBelow exclusive upper bound of the correctness rate of preferred interventions
     * @param weakArgumentsBelow a rollout with the right functions is argument-weak if R_args is below this
     * @param emphasisFrom a group is emphasised if at least this share of its rollouts is argument-weak or a false trigger
     * @param argumentWeakWeight weight of emphasised interventions; others have 1
     * @param falseTriggerWeight weight of emphasised silent groups; others have 1
     * @param size maximum number of records of the set
     * @param silentShare minimum share of silent records
     * @param repeats whether to repeat records if there are too few for size and silent share; otherwise the set is smaller
     * @param testShare held-out share of the records
     * @param seed of the draws
     */
    public record GrpoSetSettings(
            double stdAbove,
            double correctFrom,
            double correctTo,
            double qualityAbove,
            double preferredStdAbove,
            double preferredCorrectAbove,
            double preferredCorrectBelow,
            double weakArgumentsBelow,
            double emphasisFrom,
            double argumentWeakWeight,
            double falseTriggerWeight,
            int size,
            double silentShare,
            boolean repeats,
            double testShare,
            long seed) {
        /** The settings with the paper's numbers. */
        public static final GrpoSetSettings PAPER =
                new GrpoSetSettings(0.1, 0.1, 0.9, 0.5, 0.3, 0.1, 0.7, 0.5, 0.25, 2, 2, 5000, 0.3, false, 0.05, 1);

        public GrpoSetSettings {
            require(stdAbove >= 0, "std-above", stdAbove, "at least 0");
            require(
                    correctFrom >= 0 && correctFrom <= correctTo && correctTo <= 1,
                    "correct-from",
                    correctFrom,
                    "in [0, correct-to = " + correctTo + "], and that at most 1");
            require(qualityAbove >= 0 && qualityAbove < 1, "quality-above", qualityAbove, "in [0, 1)");
            require(
                    weakArgumentsBelow >= 0 && weakArgumentsBelow <= 1,
                    "weak-arguments-below",
                    weakArgumentsBelow,
                    "in [0, 1]");
            require(emphasisFrom > 0 && emphasisFrom <= 1, "emphasis-from", emphasisFrom, "in (0, 1]");
            require(argumentWeakWeight > 0, "argument-weak-weight", argumentWeakWeight, "> 0");
            require(falseTriggerWeight > 0, "false-trigger-weight", falseTriggerWeight, "> 0");
            require(size > 0, "size", size, "at least 1");
            require(silentShare >= 0 && silentShare <= 1, "silent-share", silentShare, "in [0, 1]");
            require(testShare >= 0 && testShare <= 0.5, "test-share", testShare, "in [0, 0.5]");
        }

        /** Returns the maximum number of training records from a number of prompts. */
        public long trainRecords(long prompts) {
            long all = repeats ? size : Math.min(size, prompts);
            return all - Math.round(all * testShare);
        }
    }
}
