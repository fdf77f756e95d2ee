package dev.prpf.par.reward;

/** The intervention outcome of PRPF eq. 17 and 18; malformed responses have no outcome. */
public enum ConfusionOutcome {
    /** True positive: acts, and the best-matched answer acts. */
    TP,
    /** True negative: silent, and the best-matched answer is silence. */
    TN,
    /** False positive: acts, but the best-matched answer is silence. */
    FP,
    /** False negative: silent, but the best-matched answer acts. */
    FN;

    /** Returns the outcome of a well-formed response. */
    static ConfusionOutcome of(boolean acts, boolean answerActs) {
        if (acts) {
            return answerActs ? TP : FP;
        }
        return answerActs ? FN : TN;
    }
}
