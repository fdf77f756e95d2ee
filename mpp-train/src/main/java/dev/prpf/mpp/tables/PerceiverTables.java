package dev.prpf.mpp.tables;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.mpp.calibration.ReliabilityDiagram;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.gate.RocCurve;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.perceive.LabelledPerceptions;
import dev.prpf.mpp.split.SampleSplit.Split;
import dev.prpf.mpp.threshold.TriggerThreshold;
import dev.prpf.mpp.threshold.TriggerThreshold.RiskControl;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.mpp.training.SeedPlan;
import dev.prpf.mpp.training.TrainedRun;
import dev.prpf.mpp.training.TrainedRun.PoolSizes;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Computes the metrics of a perceiver trained with one or more seeds, and of its ablations; shares and means in percent. Written as {@code
 * tables.json}.
 *
 * @param runs by variant, the full network first; each variant's runs in the order of the seeds; not in JSON
 * @param split of the metrics
 * @param n samples of the first run; all metrics except {@code variants} are over them
 * @param shortlist one element for each length of the shortlist
 * @param distribution metrics over samples with a trained scenario, and over others if there are any
 * @param reliability of p_trigger
 * @param eceUncalibrated expected calibration error before calibration
 */
public record PerceiverTables(
        @JsonIgnore Map<SeedPlan.Variant, List<EvaluatedRun>> runs,
        Split split,
        int n,
        Confusion confusion,
        Threshold threshold,
        List<VariantSummary> variants,
        List<TopKRecall> shortlist,
        List<DistributionPart> distribution,
        @Nullable Double auc,
        @Nullable Double averagePrecision,
        ReliabilityDiagram reliability,
        double eceUncalibrated) {
    private static final int PAPER_LENGTHS = 10;

    /** Table 6 of one seed. */
    record Confusion(long seed, int tp, int fn, int fp, int tn) {}

    /** The first run's threshold. */
    record Threshold(double value, String constraint, @Nullable RiskControl guarantee) {}

    /** A row of Table 7: the metrics over the seeds, and of each. */
    record VariantSummary(String name, Map<String, MeanStd> figures, List<Map<String, Object>> seeds) {}

    /**
     * Metrics over the samples with a trained scenario, or over the others. Metrics over all samples mix the two, and an untrained scenario
     * is rarely among the most probable. Recall over triggering samples is listed for each length of the shortlist.
     */
    record DistributionPart(
            boolean inDistribution,
            @JsonProperty("n") int samples,
            Share recall,
            Share specificity,
            List<TopK> shortlist) {
        /** Recall of the k most probable scenarios over triggering samples. */
        record TopK(int k, @JsonProperty("recall_triggering") Share recall) {}

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
    }

    /** Returns the paper's lengths of the shortlist, 1 to 10, at most the number of scenarios. */
    static List<Integer> paperLengths(int scenarios) {
        return IntStream.rangeClosed(1, Math.min(PAPER_LENGTHS, scenarios))
                .boxed()
                .toList();
    }

    /**
     * Makes the tables of a plan's runs below a directory, with one threshold for each run.
     *
     * @param requestedLengths lengths of the shortlist of scenarios, each at least 1; null for the paper's
     * @throws PrpfException 69 if a run is not finished. 65 if a run's file is damaged or missing or a class is empty. 2 for a length beyond
     *     the catalogue
     */
    public static PerceiverTables of(
            MppRun directory, List<TriggerThreshold> thresholds, @Nullable List<Integer> requestedLengths) {
        SeedPlan plan = directory.plan();
        List<TrainedRun> files = directory.runs();
        Map<SeedPlan.Variant, List<EvaluatedRun>> runs = new EnumMap<>(SeedPlan.Variant.class);
        for (int i = 0; i < plan.runs().size(); i++) {
            SeedPlan.Run one = plan.runs().get(i);
            runs.computeIfAbsent(one.variant(), unseen -> new ArrayList<>())
                    .add(EvaluatedRun.load(one, files.get(i), thresholds.get(i)));
        }
        EvaluatedRun first = first(runs);
        int scenarios = first.pool().functions().size();
        List<Integer> lengths = requestedLengths == null ? paperLengths(scenarios) : requestedLengths;
        requireWithin(scenarios, lengths);
        LabelledPerceptions evaluated = first.evaluated();
        double[] scores = evaluated.pTrigger();
        boolean[] acts = evaluated.acts();
        double[] raw =
                DoubleStream.of(evaluated.logits()).map(JointLoss::sigmoid).toArray();
        ConfusionMatrix counts = first.counts();
        int fn = counts.falseNegatives();
        int fp = counts.falsePositives();
        TriggerThreshold threshold = first.threshold();
        return new PerceiverTables(
                runs,
                evaluated.split(),
                acts.length,
                new Confusion(first.seed(), counts.truePositives(), fn, fp, counts.trueNegatives()),
                new Threshold(threshold.threshold(), threshold.constraint(), threshold.riskControl()),
                runs.entrySet().stream()
                        .map(one -> summary(one.getKey(), one.getValue()))
                        .toList(),
                lengths.stream()
                        .map(k -> TopKRecall.of(k, evaluated.samples(), first.pool()))
                        .toList(),
                Stream.of(true, false)
                        .map(known -> DistributionPart.of(known, first, lengths))
                        .filter(part -> part.samples() > 0)
                        .toList(),
                RocCurve.area(scores, acts),
                RocCurve.averagePrecision(scores, acts),
                ReliabilityDiagram.of(scores, acts),
                ReliabilityDiagram.of(raw, acts).ece());
    }

    private static void requireWithin(int scenarios, List<Integer> lengths) {
        for (int k : lengths) {
            if (k > scenarios) {
                throw new UsageException("--shortlist = " + k + ", the catalogue has " + scenarios
                        + " scenarios: a shortlist cannot be longer");
            }
        }
    }

    /** Returns the first seed's run of the full network, or the only run; Tables 6 and 8 are over its samples. */
    EvaluatedRun first() {
        return first(runs);
    }

    private static EvaluatedRun first(Map<SeedPlan.Variant, List<EvaluatedRun>> runs) {
        return runs.values().iterator().next().get(0);
    }

    private static VariantSummary summary(SeedPlan.Variant variant, List<EvaluatedRun> runs) {
        Map<String, MeanStd> overSeeds = new LinkedHashMap<>();
        for (GateMetric metric : GateMetric.values()) {
            Stream<@Nullable Double> values =
                    runs.stream().map(run -> metric.of(run).value());
            overSeeds.put(metric.key(), MeanStd.of(values.toList()));
        }
        List<Map<String, Object>> seeds = new ArrayList<>();
        for (EvaluatedRun run : runs) {
            Map<String, Object> seed = new LinkedHashMap<>();
            seed.put("seed", run.seed());
            for (GateMetric metric : GateMetric.values()) {
                seed.put(metric.key(), metric.of(run));
            }
            seeds.add(seed);
        }
        return new VariantSummary(variant.label(), overSeeds, seeds);
    }

    /** The metrics of a trained gate, which are the columns of PRPF Table 7 (eq. 23 to 27). */
    enum GateMetric {
        THRESHOLD("Threshold"),
        ACCURACY("Accuracy"),
        RECALL("Recall"),
        SPECIFICITY("Specificity"),
        PRECISION("Precision"),
        F1("F1"),
        /** Top-k accuracy of intents (eq. 27) with the paper's K = 5, or all scenarios if there are fewer. */
        INTENT_TOP5("Intent top-5");

        private static final int PAPER_K = 5;

        private final String label;

        GateMetric(String label) {
            this.label = label;
        }

        /** The heading of the column. */
        public String label() {
            return label;
        }

        String key() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns the metric of a run, in percent (the threshold in [0, 1]). */
        public Share of(EvaluatedRun run) {
            ConfusionMatrix counts = run.counts();
            int tp = counts.truePositives();
            int tn = counts.trueNegatives();
            return switch (this) {
                case THRESHOLD -> new Share(run.threshold().threshold(), null, 0);
                case ACCURACY -> Share.of(tp + tn, counts.total());
                case RECALL -> Share.of(tp, counts.acting());
                case SPECIFICITY -> Share.of(tn, counts.silent());
                case PRECISION -> Share.of(tp, tp + counts.falsePositives());
                case F1 -> f1(counts);
                case INTENT_TOP5 ->
                    TopKRecall.intentAccuracy(
                            Math.min(PAPER_K, run.pool().functions().size()),
                            run.evaluated().samples());
            };
        }

        /**
         * Computes F1 = 2J / (1 + J) with J = TP / (TP + FP + FN), a share of the samples that act or trigger; its interval is J's, transformed.
         */
        private static Share f1(ConfusionMatrix counts) {
            int union = counts.acting() + counts.falsePositives();
            Interval overlap = Share.of(counts.truePositives(), union).interval();
            return counts.f1() == null || overlap == null
                    ? new Share(null, null, union)
                    : new Share(
                            counts.f1(), new Interval(f1OfOverlap(overlap.low()), f1OfOverlap(overlap.high())), union);
        }

        private static double f1OfOverlap(double percent) {
            return 200 * percent / (100 + percent);
        }
    }

    /** A trained run with its threshold, evaluated on its test samples, or on dev if it has none. */
    record EvaluatedRun(
            TrainedRun run,
            SeedPlan.Variant variant,
            long seed,
            TriggerThreshold threshold,
            LabelledPerceptions evaluated,
            PoolSizes pool) {

        /** @throws PrpfException 69 if the run is not finished, 65 if one of its files is damaged or missing or a class is empty */
        static EvaluatedRun load(SeedPlan.Run one, TrainedRun run, TriggerThreshold threshold) {
            Split split = split(run);
            EvaluatedRun evaluated = new EvaluatedRun(
                    run, one.variant(), one.seed(), threshold, run.perceptions(split), run.poolSizes());
            ConfusionMatrix counts = evaluated.counts();
            String file = run.perceptionsFile(split).toString();
            ConfusionMatrix.requireBothClasses(file, counts.acting(), counts.silent());
            return evaluated;
        }

        /** Returns the split of the metrics: dev only if the run had no test samples, since its metrics are too good. */
        private static Split split(TrainedRun run) {
            if (run.has(Split.TEST)) {
                return Split.TEST;
            }
            int counted =
                    RunDirectory.result(run.path()).path(Split.TEST.label()).asInt();
            if (counted > 0) {
                throw new InvalidDataException(run.perceptionsFile(Split.TEST) + ": is missing, and run.json counts "
                        + counted + " test samples; the training's command writes it again; if " + run.path()
                        + " is one of several (--seeds), restore it or remove that folder first");
            }
            return Split.DEV;
        }

        /** The gate's decisions against the labels (PRPF Table 6). */
        public ConfusionMatrix counts() {
            return counts(evaluated, threshold.threshold());
        }

        static ConfusionMatrix counts(LabelledPerceptions some, double tau) {
            return ConfusionMatrix.at(tau, some.pTrigger(), some.acts());
        }
    }
}
