package dev.prpf.mpp.tables;

import dev.prpf.mpp.LabelledPerception;
import dev.prpf.mpp.PoolSizes;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
public record TopKRecall(int k, Proportion all, Proportion triggering, double meanPool, int largestPool) {
    /** Of samples, at least one. */
    static TopKRecall of(int k, List<LabelledPerception> samples, PoolSizes pool) {
        int covered = 0;
        int triggering = 0;
        int actingCovered = 0;
        long functions = 0;
        int largest = 0;
        for (LabelledPerception sample : samples) {
            Set<String> shortlist = new LinkedHashSet<>(sample.perception().top(k));
            boolean acting = coversAnAction(sample, k);
            covered += acting || sample.allowsSilence() ? 1 : 0;
            triggering += sample.acts() ? 1 : 0;
            actingCovered += acting ? 1 : 0;
            int size = pool.size(shortlist);
            functions += size;
            largest = Math.max(largest, size);
        }
        return new TopKRecall(
                k,
                new Proportion(covered, samples.size()),
                new Proportion(actingCovered, triggering),
                (double) functions / samples.size(),
                largest);
    }

    /** Whether the k most probable scenarios cover an answer that acts. */
    static boolean coversAnAction(LabelledPerception sample, int k) {
        List<String> shortlist = sample.perception().top(k);
        return sample.answers().stream()
                .anyMatch(scenarios -> !scenarios.isEmpty() && shortlist.containsAll(scenarios));
    }

    /**
     * Intent top-k accuracy (PRPF eq. 27): over each pair of a triggering sample and a scenario c of its valid answers, how often c is
     * among the k most probable. The paper counts samples a category; a sample of several scenarios counts in each of its own.
     */
    static Proportion intentAccuracy(int k, List<LabelledPerception> samples) {
        int hits = 0;
        int all = 0;
        for (LabelledPerception sample : samples) {
            List<String> shortlist = sample.perception().top(k);
            for (String scenario : sample.scenarios()) {
                all++;
                hits += shortlist.contains(scenario) ? 1 : 0;
            }
        }
        return new Proportion(hits, all);
    }

    Map<String, @Nullable Object> json() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("k", k);
        json.put("recall_all", all.json());
        json.put("recall_triggering", triggering.json());
        json.put("pool_mean", meanPool);
        json.put("pool_largest", largestPool);
        return json;
    }
}
