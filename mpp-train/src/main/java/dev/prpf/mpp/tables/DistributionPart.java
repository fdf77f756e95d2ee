package dev.prpf.mpp.tables;

import dev.prpf.mpp.LabelledPerception;
import dev.prpf.mpp.LabelledPerceptions;
import dev.prpf.mpp.gate.GateCounts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a run does on the samples whose scenario training had, or on the others: figures over all samples mix the two, and a scenario that
 * was never trained can hardly be among the most probable ones.
 *
 * @param inDistribution whether training had the scenarios
 * @param samples how many there are
 * @param recall of the gate; of triggering samples
 * @param specificity of the gate; of silent samples
 * @param topK over triggering samples, by length of the shortlist
 */
record DistributionPart(
        boolean inDistribution, int samples, Proportion recall, Proportion specificity, Map<Integer, Proportion> topK) {

    /** Of a run's samples, at one threshold and for shortlists of these lengths. */
    static DistributionPart of(boolean inDistribution, EvaluatedRun run, List<Integer> lengths) {
        LabelledPerceptions part = run.evaluated().part(inDistribution);
        GateCounts counts = EvaluatedRun.counts(part, run.threshold().threshold());
        int acting = counts.truePositives() + counts.falseNegatives();
        Map<Integer, Proportion> topK = new LinkedHashMap<>();
        for (int k : lengths) {
            topK.put(k, new Proportion(covered(part.samples(), k), acting));
        }
        return new DistributionPart(
                inDistribution,
                part.samples().size(),
                new Proportion(counts.truePositives(), acting),
                new Proportion(counts.trueNegatives(), counts.trueNegatives() + counts.falsePositives()),
                topK);
    }

    private static int covered(List<LabelledPerception> samples, int k) {
        return (int) samples.stream()
                .filter(sample -> TopKRecall.coversAnAction(sample, k))
                .count();
    }

    String label() {
        return inDistribution ? "scenarios of training" : "other scenarios";
    }

    /** Values, intervals and denominators, percent. */
    Map<String, @Nullable Object> json() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("in_distribution", inDistribution);
        json.put("n", samples);
        json.put("recall", recall.json());
        json.put("specificity", specificity.json());
        List<Map<String, @Nullable Object>> shortlists = new ArrayList<>();
        topK.forEach((k, covered) -> {
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            one.put("k", k);
            one.put("recall_triggering", covered.json());
            shortlists.add(one);
        });
        json.put("top_k", shortlists);
        return json;
    }
}
