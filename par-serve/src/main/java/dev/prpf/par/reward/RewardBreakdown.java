package dev.prpf.par.reward;

import dev.prpf.data.FunctionCall;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A reward and its components.
 *
 * @param outcome of the intervention, or null if the response is malformed
 * @param terms weighted, by name, in file order; their sum is the reward
 * @param parts the unweighted components of the terms
 * @param gold the valid answer that the response was compared with, or null if the response is malformed
 * @param quality (w_F R_func + w_A R_args) / (w_F + w_A), in [0, 1]; 0 outside TP
 */
public record RewardBreakdown(
        @Nullable ConfusionOutcome outcome,
        Map<String, Double> terms,
        Parts parts,
        @Nullable List<FunctionCall> gold,
        double quality) {
    /**
     * The unweighted components, shares in [0, 1].
     *
     * @param functions R_func, a mixture of names and order
     * @param names F1 of the name sets
     * @param order longest common subsequence of the names over the longer sequence
     * @param arguments R_args, a mixture of filled and values
     * @param filled share of the answer's must-fill parameters that the response fills, as a mean over calls
     * @param values similarity of the parameters' values, as a mean over calls
     * @param schema 1 for a response that follows the grammar, else at most 3/4
     */
    public record Parts(
            double functions,
            double names,
            double order,
            double arguments,
            double filled,
            double values,
            double schema) {
        static Parts of(double schema) {
            return new Parts(0, 0, 0, 0, 0, 0, schema);
        }
    }

    public RewardBreakdown {
        terms = Collections.unmodifiableMap(terms);
        gold = gold == null ? null : List.copyOf(gold);
    }

    /** Returns the sum of weighted terms. */
    public static double total(Map<String, Double> terms) {
        return terms.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** Returns R of eq. 19. */
    public double total() {
        return total(terms);
    }

    /** Returns the correctness in [0, 1]: 1 for a right silence, the quality of a right intervention, else 0. */
    public double correctness() {
        return outcome == ConfusionOutcome.TN ? 1 : quality;
    }

    /** Returns whether the response is a right silence, or a right intervention above this quality. */
    public boolean correct(double qualityAbove) {
        return outcome == ConfusionOutcome.TN || (outcome == ConfusionOutcome.TP && quality > qualityAbove);
    }

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

        static ConfusionOutcome of(boolean acts, boolean answerActs) {
            if (acts) {
                return answerActs ? TP : FP;
            }
            return answerActs ? FN : TN;
        }
    }
}
