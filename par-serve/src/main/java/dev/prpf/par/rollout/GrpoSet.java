package dev.prpf.par.rollout;

import java.util.List;

/**
 * The samples that GRPO trains on, and how they were found.
 *
 * @param train ids, in the order of training; an id stands more than once where records were repeated
 * @param test ids held out; none of them is in train
 * @param counts of every step
 */
public record GrpoSet(List<String> train, List<String> test, Counts counts) {
    /**
     * What happened to the groups.
     *
     * @param groups read
     * @param flat left out: the rewards hardly differ
     * @param tooHard left out: hardly any rollout is correct
     * @param tooEasy left out: nearly all are
     * @param retained kept by PRPF eq. 16
     * @param retainedSilent those of them that are silent
     * @param preferred retained interventions in the high-variance disagreement region
     * @param argumentWeak retained interventions that are emphasised
     * @param falseTriggers retained silent groups that are emphasised
     * @param leftOut retained, but not in the set, for its size or its silent share
     * @param repeated records that are copies
     * @param train records, copies among them
     * @param trainSilent those of them that are silent
     * @param test records
     * @param testSilent those of them that are silent
     */
    public record Counts(
            int groups,
            int flat,
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

    public GrpoSet {
        train = List.copyOf(train);
        test = List.copyOf(test);
    }
}
