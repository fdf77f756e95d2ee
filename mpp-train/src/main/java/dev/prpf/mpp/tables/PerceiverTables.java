package dev.prpf.mpp.tables;

import dev.prpf.mpp.calibration.ReliabilityDiagram;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.gate.RocCurve;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.run.MppRun;
import dev.prpf.mpp.run.SeedPlan;
import dev.prpf.mpp.run.SeedRun;
import dev.prpf.mpp.split.Split;
import dev.prpf.mpp.threshold.RiskControl;
import dev.prpf.mpp.threshold.TriggerThreshold;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of one perceiver trained with one or more seeds, and of its ablations.
 *
 * @param runs by variant, the full network first; each variant's runs in the order of the seeds
 * @param topK of the first run, one a length of the shortlist
 */
public record PerceiverTables(Map<SeedRun.Variant, List<EvaluatedRun>> runs, List<TopKRecall> topK) {
    public PerceiverTables {
        runs = new EnumMap<>(runs);
        topK = List.copyOf(topK);
    }

    /** The tables of a run of one seed under a threshold, whatever its path says. */
    public static PerceiverTables ofRun(SeedRun one, MppRun run, TriggerThreshold threshold, TopKRange range) {
        return of(List.of(EvaluatedRun.load(one, run, threshold)), range);
    }

    /** The tables of all runs below a directory, under one threshold a planned run. */
    public static PerceiverTables ofSeeds(
            MppRun directory, SeedPlan plan, List<TriggerThreshold> thresholds, TopKRange range) {
        List<EvaluatedRun> all = new ArrayList<>();
        for (int i = 0; i < plan.runs().size(); i++) {
            SeedRun one = plan.runs().get(i);
            all.add(EvaluatedRun.load(one, directory.seed(one), thresholds.get(i)));
        }
        return of(all, range);
    }

    private static PerceiverTables of(List<EvaluatedRun> all, TopKRange range) {
        Map<SeedRun.Variant, List<EvaluatedRun>> runs = new EnumMap<>(SeedRun.Variant.class);
        all.forEach(run ->
                runs.computeIfAbsent(run.variant(), unseen -> new ArrayList<>()).add(run));
        EvaluatedRun first = first(runs);
        range.requireWithin(first.pool().functions().size());
        return new PerceiverTables(
                runs,
                range.lengths().stream()
                        .map(k -> TopKRecall.of(k, first.evaluated().samples(), first.pool()))
                        .toList());
    }

    /** The first seed's run of the full network (of the only one, where one run is looked at), whose samples Tables 6 and 8 are over. */
    EvaluatedRun first() {
        return first(runs);
    }

    private static EvaluatedRun first(Map<SeedRun.Variant, List<EvaluatedRun>> runs) {
        return runs.values().iterator().next().get(0);
    }

    /** The first run's samples of scenarios that training had, and those of others where there are any. */
    List<DistributionPart> distribution() {
        List<Integer> lengths = topK.stream().map(TopKRecall::k).toList();
        return Stream.of(true, false)
                .map(inDistribution -> DistributionPart.of(inDistribution, first(), lengths))
                .filter(part -> part.samples() > 0)
                .toList();
    }

    /** A metric over a variant's seeds. */
    MeanStd over(SeedRun.Variant variant, GateMetric metric) {
        return MeanStd.of(runs.getOrDefault(variant, List.of()).stream()
                .<@Nullable Double>map(run -> metric.of(run).value())
                .toList());
    }

    /** Reliability of the first run's p_trigger. */
    ReliabilityDiagram reliability() {
        return ReliabilityDiagram.of(
                first().evaluated().pTrigger(), first().evaluated().acts());
    }

    /** The same before calibration. */
    ReliabilityDiagram uncalibrated() {
        double[] logits = first().evaluated().logits();
        double[] raw = DoubleStream.of(logits).map(JointLoss::sigmoid).toArray();
        return ReliabilityDiagram.of(raw, first().evaluated().acts());
    }

    /** All tables as {@code tables.json} has them; shares and means in percent. */
    public record Summary(
            Split split,
            int n,
            Confusion confusion,
            Threshold threshold,
            List<VariantSummary> variants,
            List<TopKRecall> topK,
            List<DistributionPart> distribution,
            @Nullable Double auc,
            @Nullable Double averagePrecision,
            ReliabilityDiagram reliability,
            double eceUncalibrated) {}

    /** Table 6 of one seed. */
    record Confusion(long seed, int tp, int fn, int fp, int tn) {}

    /** The first run's threshold. */
    record Threshold(double value, String constraint, @Nullable RiskControl guarantee) {}

    /** A row of Table 7: the metrics over the seeds, and of each. */
    record VariantSummary(String name, Map<String, MeanStd> figures, List<Map<String, Object>> seeds) {}

    /** All tables, for {@code tables.json}. */
    public Summary summary() {
        EvaluatedRun first = first();
        double[] scores = first.evaluated().pTrigger();
        boolean[] acts = first.evaluated().acts();
        ConfusionMatrix counts = first.counts();
        TriggerThreshold threshold = first.threshold();
        int fn = counts.falseNegatives();
        int fp = counts.falsePositives();
        return new Summary(
                first.evaluated().split(),
                acts.length,
                new Confusion(first.seed(), counts.truePositives(), fn, fp, counts.trueNegatives()),
                new Threshold(threshold.threshold(), threshold.constraint(), threshold.riskControl()),
                runs.keySet().stream().map(this::summary).toList(),
                topK,
                distribution(),
                RocCurve.area(scores, acts),
                RocCurve.averagePrecision(scores, acts),
                reliability(),
                uncalibrated().ece());
    }

    private VariantSummary summary(SeedRun.Variant variant) {
        Map<String, MeanStd> overSeeds = new LinkedHashMap<>();
        for (GateMetric metric : GateMetric.values()) {
            overSeeds.put(metric.key(), over(variant, metric));
        }
        List<Map<String, Object>> seeds = new ArrayList<>();
        for (EvaluatedRun run : runs.getOrDefault(variant, List.of())) {
            Map<String, Object> seed = new LinkedHashMap<>();
            seed.put("seed", run.seed());
            for (GateMetric metric : GateMetric.values()) {
                seed.put(metric.key(), metric.of(run));
            }
            seeds.add(seed);
        }
        return new VariantSummary(variant.label(), overSeeds, seeds);
    }
}
