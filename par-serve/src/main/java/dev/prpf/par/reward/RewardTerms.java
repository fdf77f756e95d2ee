package dev.prpf.par.reward;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The weighted terms of a reward (PRPF eq. 20-22); their sum is the reward.
 *
 * @param trig w_T R_trig
 * @param func w_F R_func, 0 outside TP
 * @param args w_A R_args, 0 outside TP
 * @param schema w_M R_schema
 * @param tn b_TN, 0 outside TN
 * @param fp R_fp + p_FP, 0 outside FP
 * @param cov b_cov, 0 outside TP and where a name of the answer is missing
 * @param over p_over, 0 outside TP
 */
public record RewardTerms(
        double trig, double func, double args, double schema, double tn, double fp, double cov, double over) {

    /** R of eq. 19. */
    public double total() {
        return trig + func + args + schema + tn + fp + cov + over;
    }

    /** By the names that files and metrics use, in order. */
    public Map<String, Double> byName() {
        Map<String, Double> terms = new LinkedHashMap<>();
        terms.put("trig", trig);
        terms.put("func", func);
        terms.put("args", args);
        terms.put("schema", schema);
        terms.put("tn", tn);
        terms.put("fp", fp);
        terms.put("cov", cov);
        terms.put("over", over);
        return terms;
    }
}
