package dev.prpf.mpp.tables;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.mpp.perceive.LabelledPerception;
import dev.prpf.mpp.run.PoolSizes;
import java.util.List;

/**
 * How often the k most probable scenarios cover a valid answer (PRPF Table 8): an answer is covered when the shortlist has the scenarios
 * of all its calls. Over all samples silence is covered by any shortlist, as the published 3,496 of 3,660 at k = 5 imply; over triggering
 * samples only answers that act count.
 *
 * @param k length of the shortlist
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
        int covered = 0;
        long functions = 0;
        int largest = 0;
        for (LabelledPerception sample : samples) {
            covered += sample.allowsSilence() || coversAnAction(sample, k) ? 1 : 0;
            int size = pool.size(sample.perception().top(k));
            functions += size;
            largest = Math.max(largest, size);
        }
        return new TopKRecall(
                k,
                Share.of(covered, samples.size()),
                triggering(k, samples),
                (double) functions / samples.size(),
                largest);
    }

    /** Samples with a covered acting answer, of those that want an intervention. */
    static Share triggering(int k, List<LabelledPerception> samples) {
        int covered = 0;
        int acting = 0;
        for (LabelledPerception sample : samples) {
            covered += coversAnAction(sample, k) ? 1 : 0;
            acting += sample.acts() ? 1 : 0;
        }
        return Share.of(covered, acting);
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
            List<String> shortlist = sample.perception().top(k);
            for (String scenario : sample.answerScenarios()) {
                all++;
                hits += shortlist.contains(scenario) ? 1 : 0;
            }
        }
        return Share.of(hits, all);
    }
}
