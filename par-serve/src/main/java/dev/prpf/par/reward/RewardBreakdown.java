package dev.prpf.par.reward;

import dev.prpf.data.FunctionCall;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A reward and where it comes from.
 *
 * @param outcome of the intervention, or null where the response is malformed
 * @param terms weighted, by name, in the order of files; they add up to the reward
 * @param parts what the terms were made from, before weights
 * @param gold the valid answer it was measured against, or null where the response is malformed
 * @param quality (w_F R_func + w_A R_args) / (w_F + w_A), in [0, 1]; 0 outside TP
 */
public record RewardBreakdown(
        @Nullable ConfusionOutcome outcome,
        Map<String, Double> terms,
        Parts parts,
        @Nullable List<FunctionCall> gold,
        double quality) {
    /**
     * Shares in [0, 1].
     *
     * @param functions R_func, a mixture of names and order
     * @param names F1 of the name sets
     * @param order longest common subsequence of the names over the longer sequence
     * @param arguments R_args, a mixture of filled and values
     * @param filled share of the answer's must-fill parameters that the response fills, a call each, then the mean
     * @param values similarity of the parameters' values, a call each, then the mean
     * @param schema 1 for a response that keeps the grammar, at most 3/4 for one that does not
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

    /** The sum of weighted terms. */
    public static double total(Map<String, Double> terms) {
        return terms.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** R of eq. 19. */
    public double total() {
        return total(terms);
    }

    /** How right the response is, in [0, 1]: 1 for a right silence, the quality of a right intervention, else 0. */
    public double correctness() {
        return outcome == ConfusionOutcome.TN ? 1 : quality;
    }

    /** Whether the response was silent where silence was right, or acted where action was due with more than that quality. */
    public boolean correct(double qualityAbove) {
        return outcome == ConfusionOutcome.TN || (outcome == ConfusionOutcome.TP && quality > qualityAbove);
    }
}
