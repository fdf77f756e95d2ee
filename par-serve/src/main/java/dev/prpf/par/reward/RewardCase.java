package dev.prpf.par.reward;

import dev.prpf.data.FunctionCall;
import dev.prpf.par.reward.RewardBreakdown.Parts;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A response measured against one valid answer: what the terms are computed from.
 *
 * @param settings the reward's constants
 * @param outcome of the intervention; null where the response is malformed
 * @param parts shares in [0, 1]; functions and arguments are 0 outside TP
 * @param covered whether a right intervention predicts every name of the answer
 * @param redundant calls that a right intervention has more than the answer
 */
record RewardCase(
        RewardSettings settings, @Nullable ConfusionOutcome outcome, Parts parts, boolean covered, int redundant) {
    boolean is(ConfusionOutcome other) {
        return outcome == other;
    }

    /** R_trig of eq. 20. */
    double triggerCredit() {
        return outcome == null ? 0 : settings.triggerCredit().of(outcome);
    }

    /** What a false trigger gives back of its schema credit: -R_fp of eq. 20. */
    double refund() {
        return settings.falseTriggerSchemaShare() * settings.weight("schema") * parts.schema();
    }

    /** @param gold the answer that the response was measured against; null where it is malformed */
    RewardBreakdown breakdown(@Nullable List<FunctionCall> gold) {
        double quality = is(ConfusionOutcome.TP) ? settings.quality(parts) : 0;
        return new RewardBreakdown(outcome, RewardTerm.weighted(this), parts, gold, quality);
    }
}
