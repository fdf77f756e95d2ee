package dev.prpf.par.rollout;

import dev.prpf.base.error.InvalidDataException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The groups that disagree, PRPF eq. 16, sorted by id so that the order of the file does not matter.
 *
 * @param retained at least one
 * @param groups read
 * @param flat whose rewards hardly differ
 * @param tooHard of the others, those with too few correct rollouts
 * @param tooEasy of the others, those with too many
 */
record GroupFilter(List<GroupSummary> retained, int groups, int flat, int tooHard, int tooEasy) {
    static GroupFilter of(List<GroupSummary> groups, GrpoSetSettings settings) {
        List<GroupSummary> retained = new ArrayList<>();
        int flat = 0;
        int tooHard = 0;
        int tooEasy = 0;
        for (GroupSummary group : groups) {
            if (!(group.std() > settings.stdAbove())) {
                flat++;
            } else if (group.correctRate() < settings.correctFrom()) {
                tooHard++;
            } else if (group.correctRate() > settings.correctTo()) {
                tooEasy++;
            } else {
                retained.add(group);
            }
        }
        if (retained.isEmpty()) {
            throw new InvalidDataException(
                    "of " + groups.size() + " rollout groups none is left: the rewards of " + flat
                            + " have a deviation of at most " + settings.stdAbove() + ", " + tooHard
                            + " are correct less often than "
                            + settings.correctFrom() + ", " + tooEasy + " more often than " + settings.correctTo()
                            + "; roll out more prompts, or at a higher temperature");
        }
        retained.sort(Comparator.comparing(GroupSummary::id));
        return new GroupFilter(List.copyOf(retained), groups.size(), flat, tooHard, tooEasy);
    }

    List<GroupSummary> silent() {
        return retained.stream().filter(group -> !group.intervention()).toList();
    }

    List<GroupSummary> interventions() {
        return retained.stream().filter(GroupSummary::intervention).toList();
    }
}
