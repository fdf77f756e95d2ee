package dev.prpf.mpp.tables;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.mpp.perceive.LabelledPerception;
import dev.prpf.mpp.run.PoolSizes;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * How often the k most probable scenarios cover a valid answer (PRPF Table 8): an answer is covered when the shortlist has the scenarios
 * of all its calls. Over all samples silence is covered by any shortlist, as the published 3,496 of 3,660 at k = 5 imply; over triggering
 * samples only answers that act count.
 *
 * @param all samples with a covered answer, of all
 * @param triggering samples with a covered acting answer, of those that want an intervention
 * @param meanPool functions of the candidate pool, mean over all samples
 * @param largestPool the most functions a candidate pool has
 */
public record TopKRecall(
        int k,
        @JsonProperty("recall_all") Share all,
        @JsonProperty("recall_triggering") Share triggering,
        @JsonProperty("pool_mean") double meanPool,
        @JsonProperty("pool_largest") int largestPool) {
    /** The recall over samples, at least one. */
    static TopKRecall of(int k, List<LabelledPerception> samples, PoolSizes pool) {
        int covered = count(samples, sample -> sample.allowsSilence() || coversAnAction(sample, k));
        IntSummaryStatistics sizes = samples.stream()
                .mapToInt(sample -> pool.size(sample.perception().top(k)))
                .summaryStatistics();
        Share all = Share.of(covered, samples.size());
        return new TopKRecall(k, all, triggering(k, samples), sizes.getAverage(), sizes.getMax());
    }

    /** Samples with a covered acting answer, of those that want an intervention. */
    static Share triggering(int k, List<LabelledPerception> samples) {
        return Share.of(count(samples, sample -> coversAnAction(sample, k)), count(samples, LabelledPerception::acts));
    }

    private static int count(List<LabelledPerception> samples, Predicate<LabelledPerception> holds) {
        return (int) samples.stream().filter(holds).count();
    }

    private static boolean coversAnAction(LabelledPerception sample, int k) {
        List<String> shortlist = sample.perception().top(k);
        return sample.answers().stream()
                .anyMatch(scenarios -> !scenarios.isEmpty() && shortlist.containsAll(scenarios));
    }

    /**
     * Intent top-k accuracy (PRPF eq. 27): over each pair of a triggering sample and a scenario c of its valid answers, how often c is
     * among the k most probable. The paper counts samples a category; a sample of several scenarios counts in each of its own.
     */
    static Share intentAccuracy(int k, List<LabelledPerception> samples) {
        int hits = 0;
        int all = 0;
        for (LabelledPerception sample : samples) {
            Set<String> wanted = sample.answerScenarios();
            all += wanted.size();
            wanted.retainAll(sample.perception().top(k));
            hits += wanted.size();
        }
        return Share.of(hits, all);
    }
}
