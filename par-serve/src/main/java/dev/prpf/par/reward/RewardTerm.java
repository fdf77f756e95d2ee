package dev.prpf.par.reward;

import dev.prpf.data.FunctionCall;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import dev.prpf.par.reward.RewardBreakdown.Parts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleBiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A term of the reward (PRPF eq. 20-22). A new term is one line of {@link #ALL}; without a weight in the configuration it does not count.
 *
 * @param name in files, metrics and the configuration's {@code weights}
 * @param contribution its share of a case's reward, given its weight
 */
record RewardTerm(String name, ToDoubleBiFunction<Case, Double> contribution) {
    /** All terms, in the order of files. */
    static final List<RewardTerm> ALL = List.of(
            new RewardTerm("trig", (scored, weight) -> weight * scored.triggerCredit()),
            new RewardTerm("func", (scored, weight) -> weight * scored.parts().functions()),
            new RewardTerm("args", (scored, weight) -> weight * scored.parts().arguments()),
            new RewardTerm("schema", (scored, weight) -> weight * scored.parts().schema()),
            new RewardTerm("tn", (scored, weight) -> scored.is(ConfusionOutcome.TN) ? weight : 0),
            new RewardTerm("fp", (scored, weight) -> scored.is(ConfusionOutcome.FP) ? -weight - scored.refund() : 0),
            new RewardTerm("cov", (scored, weight) -> scored.covered() ? weight : 0),
            new RewardTerm("over", (scored, weight) -> 0 - weight * scored.redundant()));

    static List<String> names() {
        return ALL.stream().map(RewardTerm::name).toList();
    }

    /**
     * A response compared with one valid answer: the input of the terms.
     *
     * @param outcome of the intervention; null if the response is malformed
     * @param parts shares in [0, 1]; functions and arguments are 0 outside TP
     * @param covered whether a right intervention predicts every name of the answer
     * @param redundant number of calls of a right intervention beyond the answer's
     */
    record Case(
            RewardSettings settings, @Nullable ConfusionOutcome outcome, Parts parts, boolean covered, int redundant) {
        boolean is(ConfusionOutcome other) {
            return outcome == other;
        }

        /** Returns R_trig of eq. 20. */
        double triggerCredit() {
            return outcome == null ? 0 : settings.triggerCredit().of(outcome);
        }

        /** Returns the schema credit that a false trigger loses, -R_fp of PRPF eq. 22. */
        double refund() {
            return settings.falseTriggerSchemaShare() * settings.weight("schema") * parts.schema();
        }

        /** @param gold the answer that the response was compared with; null if it is malformed */
        RewardBreakdown breakdown(@Nullable List<FunctionCall> gold) {
            double quality = is(ConfusionOutcome.TP) ? settings.quality(parts) : 0;
            return new RewardBreakdown(outcome, terms(), parts, gold, quality);
        }

        /** Returns all weighted terms by name; their sum is the reward. */
        private Map<String, Double> terms() {
            Map<String, Double> terms = new LinkedHashMap<>();
            ALL.forEach(term ->
                    terms.put(term.name(), term.contribution().applyAsDouble(this, settings.weight(term.name()))));
            return terms;
        }
    }
}
