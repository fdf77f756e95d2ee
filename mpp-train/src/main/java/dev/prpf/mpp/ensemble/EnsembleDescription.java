package dev.prpf.mpp.ensemble;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.mpp.ensemble.MemberPlan.Terms;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The description of a trained ensemble, {@code ensemble/ensemble.json}.
 *
 * @param format version of the ensemble's files, {@link #FORMAT}
 * @param encoders ids of the text encoders, in order
 * @param scenarios names of the scenario outputs, in order
 * @param members in the order of their scores, a perceiver last
 * @param slope of the log-odds over the mixture's score
 * @param intercept of the log-odds
 * @param mixture area under the ROC curve out of fold, with weights fitted on the other folds
 */
public record EnsembleDescription(
        int format,
        List<String> encoders,
        List<String> scenarios,
        List<Member> members,
        double slope,
        double intercept,
        OutOfFold.Figure mixture) {
    /** Version of the files that this program reads and writes. */
    public static final int FORMAT = 2;

    /**
     * A classifier of the ensemble, with its weight in the mixture.
     *
     * @param name in tables
     * @param encoders indexes of its encoders; empty for a perceiver and for a member that counts terms
     * @param terms the terms that it counts; null for other members
     * @param strength C of its regression; null for a perceiver
     * @param weight in the mixture; the weights of all members sum to 1
     * @param mean of its log-odds out of fold
     * @param standardDeviation of its log-odds out of fold
     * @param outOfFold area under the ROC curve on held-out folds
     */
    public record Member(
            String name,
            List<Integer> encoders,
            @Nullable Terms terms,
            @JsonProperty("c") @Nullable Double strength,
            double weight,
            double mean,
            double standardDeviation,
            OutOfFold.Figure outOfFold) {
        public Member {
            encoders = List.copyOf(encoders);
            Rule.require(weight >= 0 && weight <= 1, "weight", weight, "in [0, 1]");
            Rule.require(standardDeviation > 0, "standard_deviation", standardDeviation, "above 0");
        }

        boolean readsSteps() {
            return terms != null && terms.scope() == Terms.Scope.SINGLE;
        }

        boolean isPerceiver() {
            return strength == null;
        }
    }

    public EnsembleDescription {
        Rule.require(format == FORMAT, "format", format, FORMAT + ", the format that this version reads; train again");
        encoders = List.copyOf(encoders);
        scenarios = List.copyOf(scenarios);
        members = List.copyOf(members);
        Rule.require(!members.isEmpty(), "members", members.size(), "at least 1");
        boolean perceiverLast =
                IntStream.range(0, members.size() - 1).mapToObj(members::get).noneMatch(Member::isPerceiver);
        Rule.require(perceiverLast, "c", null, "a number for all members but the last");
    }

    /** Returns whether a perceiver is among the members; it then predicts the scenarios. */
    public boolean hasPerceiver() {
        return members.get(members.size() - 1).isPerceiver();
    }

    /** Returns the mixture: weights, and means and deviations that standardise the scores. */
    ScoreEnsemble scoreEnsemble() {
        return new ScoreEnsemble(
                members.stream().mapToDouble(Member::mean).toArray(),
                members.stream().mapToDouble(Member::standardDeviation).toArray(),
                members.stream().mapToDouble(Member::weight).toArray());
    }

    /**
     * Returns the index of the member that predicts the scenarios without a perceiver. It is the one on single steps, if any. Else it is the one
     * with the most encoders; the scenarios' regressions use its features.
     */
    int widest() {
        int steps = IntStream.range(0, members.size())
                .filter(m -> members.get(m).readsSteps())
                .findFirst()
                .orElse(-1);
        if (steps >= 0) {
            return steps;
        }
        int widest = 0;
        for (int at = 1; at < members.size(); at++) {
            if (members.get(at).encoders().size()
                    > members.get(widest).encoders().size()) {
                widest = at;
            }
        }
        return widest;
    }

    /** @throws PrpfException 78 if the encoders or the catalogue differ from those of the training */
    void requireSame(List<String> encoderIds, ScenarioCatalog catalog) {
        require("text encoders", encoders, encoderIds);
        require("scenario catalogue", scenarios, catalog.names());
    }

    private static void require(String what, List<String> trained, List<String> given) {
        if (!trained.equals(given)) {
            throw new InvalidConfigurationException("the ensemble was trained with " + what + " " + trained + ", now "
                    + given + ": its outputs would be meaningless; use the same, or train again");
        }
    }
}
