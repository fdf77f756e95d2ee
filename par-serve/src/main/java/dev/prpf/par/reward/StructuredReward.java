package dev.prpf.par.reward;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.match.BestMatch;
import dev.prpf.data.match.NameOverlap;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import java.util.HashSet;
import java.util.List;

/**
 * R = R_acc + R_fmt + R_cal (PRPF eq. 15, 19-22). S* is the best-matched answer: exact sequence, then name F1, then an answer that acts; of
 * answers that match equally well, the one with the highest reward, so that a response equal to any valid answer is fully right. Immutable:
 * any number of threads may share one.
 */
public final class StructuredReward {
    private final RewardSettings settings;
    private final ArgumentGrounding grounding;

    /**
     * @param settings the constants
     * @param pool of the answers; says which parameters must be filled and which are enumerations
     */
    public StructuredReward(RewardSettings settings, FunctionPool pool) {
        this.settings = settings;
        grounding = new ArgumentGrounding(pool);
    }

    /**
     * The reward of a response.
     *
     * @param sample labelled; all functions of its answers are in the pool (see {@link RewardGold})
     * @param text the response as the model wrote it, any text at all
     * @param form the form it must have
     */
    public RewardBreakdown score(Sample sample, String text, ResponseForm form) {
        return score(sample.validSequences(), text, form);
    }

    /**
     * The same against valid answers that stand alone.
     *
     * @param valid call sequences, at least one; an empty one is silence
     */
    public RewardBreakdown score(List<List<FunctionCall>> valid, String text, ResponseForm form) {
        return ResponseParser.parse(text, form) instanceof ParResponse.Parsed parsed
                ? of(valid, predicted(parsed))
                : malformed(SchemaCredit.ofMalformed(text));
    }

    /** The reward of calls that came without a text, with full schema credit; no call is silence. */
    public RewardBreakdown score(Sample sample, List<FunctionCall> predicted) {
        return of(sample.validSequences(), predicted);
    }

    private RewardBreakdown of(List<List<FunctionCall>> valid, List<FunctionCall> predicted) {
        List<List<FunctionCall>> ties = BestMatch.ties(BestMatch.names(predicted), valid);
        return ties.stream()
                .map(gold -> against(gold, predicted))
                .reduce((best, next) -> next.total() > best.total() ? next : best)
                .orElseThrow();
    }

    /** The first recommendation is the prediction. */
    private static List<FunctionCall> predicted(ParResponse.Parsed parsed) {
        return parsed.recommendations().isEmpty()
                ? List.of()
                : parsed.recommendations().get(0).calls();
    }

    private RewardBreakdown malformed(double schema) {
        RewardTerms terms = new RewardTerms(0, 0, 0, settings.schemaWeight() * schema, 0, 0, 0, 0);
        return new RewardBreakdown(null, terms, RewardBreakdown.Parts.of(schema), null, 0);
    }

    private RewardBreakdown against(List<FunctionCall> gold, List<FunctionCall> predicted) {
        Quadrant quadrant = Quadrant.of(!predicted.isEmpty(), !gold.isEmpty());
        double trig = settings.triggerWeight() * settings.triggerCredit().of(quadrant);
        double schema = settings.schemaWeight();
        return switch (quadrant) {
            case TP -> intervention(gold, predicted, trig);
            case TN -> plain(quadrant, gold, new RewardTerms(trig, 0, 0, schema, settings.silenceBonus(), 0, 0, 0));
            case FP -> {
                double fp = settings.falseTriggerPenalty() - settings.falseTriggerSchemaShare() * schema;
                yield plain(quadrant, gold, new RewardTerms(trig, 0, 0, schema, 0, fp, 0, 0));
            }
            case FN -> plain(quadrant, gold, new RewardTerms(trig, 0, 0, schema, 0, 0, 0, 0));
        };
    }

    private static RewardBreakdown plain(Quadrant quadrant, List<FunctionCall> gold, RewardTerms terms) {
        return new RewardBreakdown(quadrant, terms, RewardBreakdown.Parts.of(1), gold, 0);
    }

    private RewardBreakdown intervention(List<FunctionCall> gold, List<FunctionCall> predicted, double trig) {
        List<String> names = BestMatch.names(predicted);
        List<String> goldNames = BestMatch.names(gold);
        RewardBreakdown.Parts parts = parts(gold, predicted);
        double functions = settings.functionWeight() * parts.functions();
        double arguments = settings.argumentWeight() * parts.arguments();
        boolean covered = new HashSet<>(names).containsAll(goldNames);
        int redundant = Math.max(0, names.size() - goldNames.size());
        RewardTerms terms = new RewardTerms(
                trig,
                functions,
                arguments,
                settings.schemaWeight(),
                0,
                0,
                covered ? settings.coverageBonus() : 0,
                0 - settings.overPrediction() * redundant);
        double quality = (functions + arguments) / (settings.functionWeight() + settings.argumentWeight());
        return new RewardBreakdown(Quadrant.TP, terms, parts, gold, quality);
    }

    private RewardBreakdown.Parts parts(List<FunctionCall> gold, List<FunctionCall> predicted) {
        List<String> names = BestMatch.names(predicted);
        List<String> goldNames = BestMatch.names(gold);
        double set = NameOverlap.of(names, goldNames).f1();
        double order = NameOrder.consistency(names, goldNames);
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

    private static double mix(double first, double second, double shareOfSecond) {
        return (1 - shareOfSecond) * first + shareOfSecond * second;
    }
}
