package dev.prpf.par.reward;

/**
 * Every constant of the reward; {@code configs/par-reward.yaml}. The first eight are the paper's, the others settle what it leaves open.
 *
 * @param triggerWeight w_T of eq. 20
 * @param functionWeight w_F of eq. 20
 * @param argumentWeight w_A of eq. 20
 * @param schemaWeight w_M of eq. 21
 * @param silenceBonus b_TN of eq. 22
 * @param falseTriggerPenalty p_FP of eq. 22, at most 0
 * @param coverageBonus b_cov of eq. 22, given where every name of the answer is predicted
 * @param overPrediction λ_o: p_over = -λ_o max(0, |Ŝ| - |S*|)
 * @param triggerCredit R_trig by quadrant
 * @param orderShare of R_func that the order of the names decides, in [0, 1]; their set decides the rest
 * @param valueShare of R_args that the values decide, in [0, 1]; whether what must be filled is filled decides the rest
 * @param falseTriggerSchemaShare of the schema credit that a false trigger gives back, in [0, 1]: R_fp = -share R_fmt
 */
public record RewardSettings(
        double triggerWeight,
        double functionWeight,
        double argumentWeight,
        double schemaWeight,
        double silenceBonus,
        double falseTriggerPenalty,
        double coverageBonus,
        double overPrediction,
        TriggerCredit triggerCredit,
        double orderShare,
        double valueShare,
        double falseTriggerSchemaShare) {
    /** The paper's constants and our choices (docs/REWARD.md). */
    public static final RewardSettings PAPER =
            new RewardSettings(2.0, 3.0, 2.5, 0.5, 6.0, -1.5, 0.2, 0.6, new TriggerCredit(1, 1, 0, 0), 0.5, 0.5, 1.0);

    /**
     * R_trig of each quadrant.
     *
     * @param tp a right intervention
     * @param tn a right silence
     * @param fp a false trigger
     * @param fn a missed intervention
     */
    public record TriggerCredit(double tp, double tn, double fp, double fn) {
        double of(Quadrant quadrant) {
            return switch (quadrant) {
                case TP -> tp;
                case TN -> tn;
                case FP -> fp;
                case FN -> fn;
            };
        }
    }

    public RewardSettings {
        requireAtLeastZero("trigger-weight", triggerWeight);
        requireAtLeastZero("function-weight", functionWeight);
        requireAtLeastZero("argument-weight", argumentWeight);
        requireAtLeastZero("schema-weight", schemaWeight);
        requireAtLeastZero("silence-bonus", silenceBonus);
        requireAtLeastZero("coverage-bonus", coverageBonus);
        requireAtLeastZero("over-prediction", overPrediction);
        require(falseTriggerPenalty <= 0, "false-trigger-penalty", falseTriggerPenalty, "at most 0");
        require(functionWeight + argumentWeight > 0, "function-weight + argument-weight", 0, "greater than 0");
        requireShare("order-share", orderShare);
        requireShare("value-share", valueShare);
        requireShare("false-trigger-schema-share", falseTriggerSchemaShare);
    }

    private static void requireAtLeastZero(String key, double value) {
        require(value >= 0, key, value, "at least 0");
    }

    private static void requireShare(String key, double value) {
        require(value >= 0 && value <= 1, key, value, "in [0, 1]");
    }

    private static void require(boolean holds, String key, double value, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(key + " = " + value + " must be " + rule);
        }
    }
}
