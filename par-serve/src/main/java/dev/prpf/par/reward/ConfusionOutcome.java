package dev.prpf.par.reward;

/** The intervention outcome of PRPF eq. 17 and 18; a malformed response has none. */
public enum ConfusionOutcome {
    /** Acts, and the best-matched answer acts. */
    TP,
    /** Silent, and the best-matched answer is silence. */
    TN,
    /** Acts where the best-matched answer is silence. */
    FP,
    /** Silent where the best-matched answer acts. */
    FN;

    /** The outcome of a well-formed response. */
    static ConfusionOutcome of(boolean acts, boolean answerActs) {
        if (acts) {
            return answerActs ? TP : FP;
        }
        return answerActs ? FN : TN;
    }
}
