package dev.prpf.mpp.tables;

import dev.prpf.base.statistics.Interval;
import dev.prpf.mpp.gate.ConfusionMatrix;
import java.util.Locale;

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
                : new Share(counts.f1(), new Interval(f1OfOverlap(overlap.low()), f1OfOverlap(overlap.high())), union);
    }

    private static double f1OfOverlap(double percent) {
        return 200 * percent / (100 + percent);
    }
}
