package dev.prpf.mpp.tables;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.mpp.perceive.LabelledPerceptions.LabelledPerception;
import dev.prpf.mpp.training.TrainedRun.PoolSizes;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Recall of a valid answer by the k most probable scenarios (PRPF Table 8). An answer is covered if the shortlist has the scenarios of all
 * its calls. Over all samples any shortlist covers silence, which the published 3,496 of 3,660 at k = 5 imply. Over triggering samples only
 * answers that act count.
 *
 * @param all share of all samples with a covered answer
 * @param triggering share of samples that want an intervention with a covered acting answer
 * @param meanPool mean number of functions of the candidate pool, over all samples
 * @param largestPool largest number of functions of a candidate pool
 */
public record TopKRecall(
        int k,
        @JsonProperty("recall_all") Share all,
        @JsonProperty("recall_triggering") Share triggering,
        @JsonProperty("pool_mean") double meanPool,
        @JsonProperty("pool_largest") int largestPool) {
    /** Computes the recall over at least one sample. */
    static TopKRecall of(int k, List<LabelledPerception> samples, PoolSizes pool) {
        int covered = count(samples, sample -> sample.allowsSilence() || coversAnAction(sample, k));
        IntSummaryStatistics sizes = samples.stream()
                .mapToInt(sample -> pool.size(sample.perception().top(k)))
                .summaryStatistics();
        Share all = Share.of(covered, samples.size());
        return new TopKRecall(k, all, triggering(k, samples), sizes.getAverage(), sizes.getMax());
    }

    /** Returns the share of samples that want an intervention with a covered acting answer. */
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
     * Intent top-k accuracy (PRPF eq. 27): the share of pairs of a triggering sample and a scenario of its valid answers with that scenario
     * among the k most probable. The paper counts samples per category; a sample of several scenarios counts in each of them.
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
