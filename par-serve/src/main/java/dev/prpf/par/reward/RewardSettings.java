package dev.prpf.par.reward;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The constants of the reward; {@code configs/reasoner-reward.yaml}. The weights are the paper's, the others are our choices where it is silent.
 *
 * @param weights by term, each from 0 to 1e9; terms without a weight do not count. {@code trig}, {@code func} and {@code args} are w_T, w_F
 *     and w_A of eq. 20, {@code schema} is w_M of eq. 21. {@code tn}, {@code fp}, {@code cov} and {@code over} are b_TN, -p_FP, b_cov and λ_o
 *     of eq. 22
 * @param triggerCredit R_trig by outcome
 * @param orderShare weight of the names' order within R_func, in [0, 1]; the rest is the weight of the name set
 * @param valueShare weight of the values within R_args, in [0, 1]; the rest is the weight of the must-fill completeness
 * @param falseTriggerSchemaShare share of the schema credit that a false trigger loses, in [0, 1]: R_fp = -share R_fmt
 */
@Defaults("/configs/reasoner-reward.yaml")
public record RewardSettings(
        Map<String, Double> weights,
        TriggerCredit triggerCredit,
        double orderShare,
        double valueShare,
        double falseTriggerSchemaShare) {
    /** The paper's constants and our choices (docs/REWARD.md). */
    public static final RewardSettings PAPER =
            StrictYaml.shipped("/configs/reasoner-reward.yaml", RewardSettings.class);

    private static final double MAX = 1e9;

    /** Reads a file of constants; the paper's without one. */
    public static RewardSettings read(@Nullable Path file) {
        return file == null ? PAPER : StrictYaml.read(file, RewardSettings.class, List.of());
    }

    /**
     * R_trig of each outcome, in [-1e9, 1e9].
     *
     * @param tp R_trig of a right intervention
     * @param tn R_trig of a right silence
     * @param fp R_trig of a false trigger
     * @param fn R_trig of a missed intervention
     */
    public record TriggerCredit(double tp, double tn, double fp, double fn) {
        public TriggerCredit {
            Map.of("tp", tp, "tn", tn, "fp", fp, "fn", fn)
                    .forEach((key, credit) ->
                            require(Math.abs(credit) <= MAX, "trigger-credit." + key, credit, "from -1e9 to 1e9"));
        }

        double of(ConfusionOutcome outcome) {
            return switch (outcome) {
                case TP -> tp;
                case TN -> tn;
                case FP -> fp;
                case FN -> fn;
            };
        }
    }

    public RewardSettings {
        List<String> names = RewardTerm.names();
        weights.forEach((name, weight) -> {
            require(names.contains(name), "weights", name, "one of " + names);
            require(weight >= 0, "weights." + name, weight, "at least 0");
            require(weight <= MAX, "weights." + name, weight, "at most 1e9: rewards must be finite");
        });
        Map<String, Double> ordered = new TreeMap<>(Comparator.comparing(names::indexOf));
        ordered.putAll(weights);
        weights = Collections.unmodifiableMap(ordered);
        require(of(weights, "func") + of(weights, "args") > 0, "weights: func + args", 0, "greater than 0");
        requireShare("order-share", orderShare);
        requireShare("value-share", valueShare);
        requireShare("false-trigger-schema-share", falseTriggerSchemaShare);
    }

    private static void requireShare(String key, double value) {
        require(value >= 0 && value <= 1, key, value, "in [0, 1]");
    }

    /** Returns the weight of a term, by default 0. */
    double weight(String term) {
        return of(weights, term);
    }

    private static double of(Map<String, Double> weights, String term) {
        return weights.getOrDefault(term, 0.0);
    }

    /** Returns (w_F functions + w_A arguments) / (w_F + w_A), in [0, 1]. */
    double quality(RewardBreakdown.Parts parts) {
        return (weight("func") * parts.functions() + weight("args") * parts.arguments())
                / (weight("func") + weight("args"));
    }
}
