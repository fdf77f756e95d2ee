package dev.prpf.eval.score;

import dev.prpf.data.match.NameOverlap;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A headline metric: the mean of a value over the samples it counts, in percent (PRPF eq. 28-30 and Appendix B.3). */
public enum Metric implements Labelled {
    /** Function-name sequence accuracy, eq. 28. */
    TYPE_ACC("Type-Acc"),
    /** Success rate, eq. 29. */
    SR("SR"),
    /** Success rate over the samples that want intervention; ours, not the paper's. */
    SR_ACT("SR acting"),
    /** False trigger rate, eq. 30: over the samples whose every answer is silence. */
    FTR("FTR"),
    /** False trigger rate over the samples whose best-matched answer is silence: the published rows' denominator. */
    FTR_MATCHED("FTR matched"),
    /** Mean precision over name sets. */
    PRECISION("P"),
    /** Mean recall over name sets. */
    RECALL("R"),
    /** Mean F1 over name sets: each sample's, then the mean. */
    F1("F1");

    private final String label;

    Metric(String label) {
        this.label = label;
    }

    @Override
    public String label() {
        return label;
    }

    /** Which way is better. */
    public boolean higherIsBetter() {
        return this != FTR && this != FTR_MATCHED;
    }

    /** Whether the sample belongs to this metric's denominator. */
    public boolean counts(SampleScore score) {
        return switch (this) {
            case TYPE_ACC, SR, PRECISION, RECALL, F1 -> true;
            case SR_ACT -> score.wantsIntervention();
            case FTR -> !score.wantsIntervention();
            case FTR_MATCHED -> score.match().isSilence();
        };
    }

    /** Over the samples that it counts, in percent; null if there are none. */
    @Nullable
    Double mean(List<SampleScore> scores) {
        DoubleSummaryStatistics counted =
                scores.stream().filter(this::counts).mapToDouble(this::value).summaryStatistics();
        return counted.getCount() == 0 ? null : (Double) (100 * counted.getSum() / counted.getCount());
    }

    /** The sample's share of the numerator, in [0, 1]. */
    public double value(SampleScore score) {
        NameOverlap overlap = score.match().overlap();
        return switch (this) {
            case TYPE_ACC -> score.match().exact() ? 1 : 0;
            case SR, SR_ACT -> score.success() ? 1 : 0;
            case FTR, FTR_MATCHED -> score.acts() ? 1 : 0;
            case PRECISION -> overlap.precision();
            case RECALL -> overlap.recall();
            case F1 -> overlap.f1();
        };
    }
}
