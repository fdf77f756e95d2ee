package dev.prpf.mpp.tables;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.perceive.LabelledPerceptions;
import java.util.List;

/**
 * A run's metrics on the samples whose scenario training had, or on the others: metrics over all samples mix the two, and a scenario that
 * was never trained can hardly be among the most probable ones. Recall over triggering samples stands once a length of the shortlist.
 */
record DistributionPart(
        boolean inDistribution, @JsonProperty("n") int samples, Share recall, Share specificity, List<TopK> topK) {
    /** Recall of the k most probable scenarios over triggering samples. */
    record TopK(int k, @JsonProperty("recall_triggering") Share recall) {}

    /** The metrics of a run's samples, at one threshold and for shortlists of these lengths. */
    static DistributionPart of(boolean inDistribution, EvaluatedRun run, List<Integer> lengths) {
        LabelledPerceptions part = run.evaluated().part(inDistribution);
        ConfusionMatrix counts = EvaluatedRun.counts(part, run.threshold().threshold());
        return new DistributionPart(
                inDistribution,
                part.samples().size(),
                Share.of(counts.truePositives(), counts.acting()),
                Share.of(counts.trueNegatives(), counts.silent()),
                lengths.stream()
                        .map(k -> new TopK(k, TopKRecall.triggering(k, part.samples())))
                        .toList());
    }

    String label() {
        return inDistribution ? "scenarios of training" : "other scenarios";
    }
}
