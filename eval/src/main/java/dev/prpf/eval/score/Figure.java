package dev.prpf.eval.score;

import dev.prpf.data.match.NameOverlap;

/** A headline figure: the mean of a value over the samples it counts, in percent (PRPF eq. 28-30 and Appendix B.3). */
public enum Figure {
    /** Function-name sequence accuracy, eq. 28. */
    TYPE_ACC("type_acc", "Type-Acc"),
    /** Success rate, eq. 29. */
    SR("sr", "SR"),
    /** Success rate over the samples that want intervention; ours, not the paper's. */
    SR_ACT("sr_act", "SR acting"),
    /** False trigger rate, eq. 30: over the samples whose every answer is silence. */
    FTR("ftr", "FTR"),
    /** False trigger rate over the samples whose best-matched answer is silence: the published rows' denominator. */
    FTR_MATCHED("ftr_matched", "FTR matched"),
    /** Mean precision over name sets. */
    PRECISION("precision", "P"),
    /** Mean recall over name sets. */
    RECALL("recall", "R"),
    /** Mean F1 over name sets: each sample's, then the mean. */
    F1("f1", "F1");

    private final String key;
    private final String label;

    Figure(String key, String label) {
        this.key = key;
        this.label = label;
    }

    /** The key in JSON. */
    public String key() {
        return key;
    }

    /** The column heading in reports. */
    public String label() {
        return label;
    }

    /** Which way is better. */
    public boolean higherIsBetter() {
        return this != FTR && this != FTR_MATCHED;
    }

    /** Whether the sample belongs to this figure's denominator. */
    public boolean counts(SampleScore score) {
        return switch (this) {
            case TYPE_ACC, SR, PRECISION, RECALL, F1 -> true;
            case SR_ACT -> score.wantsIntervention();
            case FTR -> score.silenceOnly();
            case FTR_MATCHED -> score.match().isSilence();
        };
    }

    /** The sample's share of the numerator, in [0, 1]. */
    public double value(SampleScore score) {
        NameOverlap overlap = score.match().overlap();
        return switch (this) {
            case TYPE_ACC -> indicator(score.match().exact());
            case SR, SR_ACT -> indicator(score.success());
            case FTR, FTR_MATCHED -> indicator(score.acts());
            case PRECISION -> overlap.precision();
            case RECALL -> overlap.recall();
            case F1 -> overlap.f1();
        };
    }

    private static double indicator(boolean condition) {
        return condition ? 1 : 0;
    }
}
