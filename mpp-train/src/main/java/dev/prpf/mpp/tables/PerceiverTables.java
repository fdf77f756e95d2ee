package dev.prpf.mpp.tables;

import dev.prpf.mpp.LabelledPerceptions;
import dev.prpf.mpp.SeedRun;
import dev.prpf.mpp.TriggerThreshold;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.calibration.ReliabilityDiagram;
import dev.prpf.mpp.gate.GateCounts;
import dev.prpf.mpp.gate.RocCurve;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one perceiver trained with one or more seeds, and of its ablations.
 *
 * @param runs by variant, the full network first; each variant's runs in the order of the seeds
 * @param topK of the first run, one a length of the shortlist
 */
public record PerceiverTables(Map<SeedRun.Variant, List<EvaluatedRun>> runs, List<TopKRecall> topK) {
    public PerceiverTables {
        runs = new EnumMap<>(runs);
        topK = List.copyOf(topK);
    }

    /**
     * Of a run of one seed under a threshold.
     *
     * @param one what it is, whatever its path says
     */
    public static PerceiverTables ofRun(SeedRun one, Path run, TriggerThreshold threshold, TopKRange range) {
        return of(List.of(EvaluatedRun.load(one, run, threshold)), range);
    }

    /**
     * Of all runs below a directory.
     *
     * @param thresholds one a planned run, in order
     */
    public static PerceiverTables ofSeeds(
            Path directory, List<SeedRun> planned, List<TriggerThreshold> thresholds, TopKRange range) {
        List<EvaluatedRun> all = new ArrayList<>();
        for (int i = 0; i < planned.size(); i++) {
            SeedRun one = planned.get(i);
            all.add(EvaluatedRun.load(one, directory.resolve(one.path()), thresholds.get(i)));
        }
        return of(all, range);
    }

    private static PerceiverTables of(List<EvaluatedRun> all, TopKRange range) {
        Map<SeedRun.Variant, List<EvaluatedRun>> runs = new EnumMap<>(SeedRun.Variant.class);
        all.forEach(run ->
                runs.computeIfAbsent(run.variant(), unseen -> new ArrayList<>()).add(run));
        EvaluatedRun first = first(runs);
        range.requireWithin(first.pool().functions().size());
        List<TopKRecall> topK = range.lengths().stream()
                .map(k -> TopKRecall.of(k, first.evaluated().samples(), first.pool()))
                .toList();
        return new PerceiverTables(runs, topK);
    }

    /** The runs of a variant, empty where it was not trained. */
    List<EvaluatedRun> of(SeedRun.Variant variant) {
        return runs.getOrDefault(variant, List.of());
    }

    /** The first seed's run of the full network (of the only one, where one run is looked at), whose samples Tables 6 and 8 are over. */
    EvaluatedRun first() {
        return first(runs);
    }

    private static EvaluatedRun first(Map<SeedRun.Variant, List<EvaluatedRun>> runs) {
        return runs.values().iterator().next().get(0);
    }

    /** The first run's samples apart: of scenarios that training had, and of others where there are any. */
    List<DistributionPart> distribution() {
        List<Integer> lengths = topK.stream().map(TopKRecall::k).toList();
        return Stream.of(true, false)
                .map(inDistribution -> DistributionPart.of(inDistribution, first(), lengths))
                .filter(part -> part.samples() > 0)
                .toList();
    }

    /** A figure over a variant's seeds. */
    MeanDeviation over(SeedRun.Variant variant, GateFigure figure) {
        List<@Nullable Double> values = new ArrayList<>();
        of(variant).forEach(run -> values.add(figure.of(run).value()));
        return MeanDeviation.of(values);
    }

    /** Reliability of the first run's p_trigger. */
    ReliabilityDiagram reliability() {
        LabelledPerceptions evaluated = first().evaluated();
        return ReliabilityDiagram.of(evaluated.pTrigger(), evaluated.acts());
    }

    /** The same before calibration. */
    ReliabilityDiagram uncalibrated() {
        LabelledPerceptions evaluated = first().evaluated();
        ProbabilityCalibration none = new ProbabilityCalibration.None();
        double[] raw =
                DoubleStream.of(evaluated.logits()).map(none::probability).toArray();
        return ReliabilityDiagram.of(raw, evaluated.acts());
    }

    /** Everything, for {@code tables.json}. */
    public Map<String, @Nullable Object> json() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        EvaluatedRun first = first();
        double[] scores = first.evaluated().pTrigger();
        boolean[] acts = first.evaluated().acts();
        json.put("split", first.evaluated().split());
        json.put("n", acts.length);
        json.put("confusion", confusion(first));
        json.put("threshold", threshold(first));
        json.put("variants", variants());
        json.put("top_k", topK.stream().map(TopKRecall::json).toList());
        json.put(
                "distribution",
                distribution().stream().map(DistributionPart::json).toList());
        json.put("auc", RocCurve.area(scores, acts));
        json.put("average_precision", RocCurve.averagePrecision(scores, acts));
        json.put("reliability", reliability());
        json.put("ece_uncalibrated", uncalibrated().ece());
        return json;
    }

    private static Map<String, @Nullable Object> confusion(EvaluatedRun run) {
        GateCounts counts = run.counts();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("seed", run.seed());
        json.put("tp", counts.truePositives());
        json.put("fn", counts.falseNegatives());
        json.put("fp", counts.falsePositives());
        json.put("tn", counts.trueNegatives());
        return json;
    }

    private static Map<String, @Nullable Object> threshold(EvaluatedRun run) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("value", run.threshold().threshold());
        json.put("constraint", run.threshold().constraint());
        json.put("guarantee", run.threshold().guarantee());
        return json;
    }

    private List<Map<String, Object>> variants() {
        List<Map<String, Object>> variants = new ArrayList<>();
        runs.forEach((variant, of) -> {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("name", variant.label());
            Map<String, Object> figures = new LinkedHashMap<>();
            for (GateFigure figure : GateFigure.values()) {
                figures.put(key(figure), over(variant, figure));
            }
            json.put("figures", figures);
            json.put("seeds", of.stream().map(PerceiverTables::seed).toList());
            variants.add(json);
        });
        return variants;
    }

    private static Map<String, Object> seed(EvaluatedRun run) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("seed", run.seed());
        for (GateFigure figure : GateFigure.values()) {
            json.put(key(figure), figure.of(run).json());
        }
        return json;
    }

    private static String key(GateFigure figure) {
        return figure.name().toLowerCase(Locale.ROOT);
    }
}
