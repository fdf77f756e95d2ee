package dev.prpf.par.reward;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.match.BestMatch;
import dev.prpf.data.match.BestMatch.NameOverlap;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import java.util.HashSet;
import java.util.List;

/**
 * Computes the reward of a response: R = R_acc + R_fmt + R_cal (PRPF eq. 15, 19-22). S* is the best-matched answer: exact sequence, then name
 * F1, then an answer that acts. Ties go to the highest reward, so a response equal to any valid answer gets full credit. Immutable and
 * thread-safe.
 *
 * @param settings the constants
 * @param pool of the answers' functions, with must-fill parameters and enumerations
 */
public record StructuredReward(RewardSettings settings, FunctionPool pool) {

    /**
     * Rewards a response to a sample.
     *
     * @param sample labelled, with answers' functions in the pool (see {@link RewardGold})
     * @param text the model's response, which may be any text
     * @param form required of the response
     */
    public RewardBreakdown score(Sample sample, String text, ResponseForm form) {
        return score(sample.validSequences(), text, form, ResponseParser.parse(text, form));
    }

    /**
     * Rewards a parsed response by valid answers.
     *
     * @param valid at least one call sequence; an empty sequence is silence
     * @param text the model's response
     * @param form required of the response
     * @param response the text, parsed in that form
     */
    public RewardBreakdown score(List<List<FunctionCall>> valid, String text, ResponseForm form, ParResponse response) {
        if (response instanceof ParResponse.Parsed parsed) {
            return score(valid, parsed.calls());
        }
        RewardBreakdown.Parts parts = RewardBreakdown.Parts.of(SchemaCredit.ofMalformed(text, form));
        return new RewardTerm.Case(settings, null, parts, false, 0).breakdown(null);
    }

    /** Rewards calls without a text, with full schema credit; no call is silence. */
    public RewardBreakdown score(Sample sample, List<FunctionCall> predicted) {
        return score(sample.validSequences(), predicted);
    }

    /** Rewards calls by valid answers, with full schema credit. */
    public RewardBreakdown score(List<List<FunctionCall>> valid, List<FunctionCall> predicted) {
        return BestMatch.ties(BestMatch.names(predicted), valid).stream()
                .map(gold -> against(gold, predicted))
                .reduce((best, next) -> next.total() > best.total() ? next : best)
                .orElseThrow();
    }

    private RewardBreakdown against(List<FunctionCall> gold, List<FunctionCall> predicted) {
        ConfusionOutcome outcome = ConfusionOutcome.of(!predicted.isEmpty(), !gold.isEmpty());
        if (outcome != ConfusionOutcome.TP) {
            return new RewardTerm.Case(settings, outcome, RewardBreakdown.Parts.of(1), false, 0).breakdown(gold);
        }
        boolean covered = new HashSet<>(BestMatch.names(predicted)).containsAll(BestMatch.names(gold));
        int redundant = Math.max(0, predicted.size() - gold.size());
        return new RewardTerm.Case(settings, outcome, parts(gold, predicted), covered, redundant).breakdown(gold);
    }

    private RewardBreakdown.Parts parts(List<FunctionCall> gold, List<FunctionCall> predicted) {
        List<String> names = BestMatch.names(predicted);
        List<String> goldNames = BestMatch.names(gold);
        double set = NameOverlap.of(names, goldNames).f1();
        double order = orderConsistency(names, goldNames);
        ArgumentGrounding grounding = new ArgumentGrounding(pool);
        double filled = grounding.filled(gold, predicted);
        double values = grounding.values(gold, predicted);
        return new RewardBreakdown.Parts(
                mix(set, order, settings.orderShare()),
                set,
                order,
                mix(filled, values, settings.valueShare()),
                filled,
                values,
                1);
    }

    /** Returns the length of the longest common subsequence over the longer length (PRPF A.4), in [0, 1]; not both may be empty. */
    private static double orderConsistency(List<String> predicted, List<String> gold) {
        double common = ValueSimilarity.alignment(predicted, gold, (name, goldName) -> name.equals(goldName) ? 1 : 0);
        return common / Math.max(predicted.size(), gold.size());
    }

    private static double mix(double first, double second, double shareOfSecond) {
        return (1 - shareOfSecond) * first + shareOfSecond * second;
    }
}
