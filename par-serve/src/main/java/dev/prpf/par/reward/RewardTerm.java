package dev.prpf.par.reward;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One term of the reward (PRPF eq. 20-22). A new term is one line of {@link #ALL}; a configuration that gives it no weight does not have it.
 *
 * @param name in files, metrics and the configuration's {@code weights}
 * @param contribution what it adds to the reward
 */
record RewardTerm(String name, Contribution contribution) {
    /** What a term adds to the reward of a case, given its weight. */
    @FunctionalInterface
    interface Contribution {
        double of(RewardCase scored, double weight);
    }

    /** All terms, in the order that files have. */
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

    /** Every term that has a weight, weighted, by name; they add up to the reward. */
    static Map<String, Double> weighted(RewardCase scored) {
        Map<String, Double> terms = new LinkedHashMap<>();
        ALL.forEach(term -> terms.put(
                term.name(), term.contribution().of(scored, scored.settings().weight(term.name()))));
        return terms;
    }
}
