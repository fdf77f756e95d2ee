package dev.prpf.par.reward;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.json.EmbeddedJson;
import dev.prpf.data.BestMatch;
import dev.prpf.data.BestMatch.NameOverlap;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Sample;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToDoubleBiFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

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

    /**
     * Computes the reward of a response's arguments, R_args (PRPF A.4): must-fill completeness and typed value similarity. The answer's k-th
     * call of a function is compared with the response's k-th call of it. A call that the response lacks counts 0. Null and blank values count
     * as not given.
     */
    record ArgumentGrounding(FunctionPool pool) {
        /** Returns the mean over the answer's calls of the share of filled parameters, among the must-fill parameters that the answer fills. */
        double filled(List<FunctionCall> gold, List<FunctionCall> predicted) {
            return mean(gold, predicted, this::filled);
        }

        private double filled(FunctionCall gold, FunctionCall predicted) {
            return spec(gold).parameters().stream()
                    .filter(ParameterSpec::required)
                    .map(ParameterSpec::name)
                    .filter(name -> isFilled(gold.parameters().get(name)))
                    .mapToDouble(name -> isFilled(predicted.parameters().get(name)) ? 1 : 0)
                    .average()
                    .orElse(1);
        }

        /** Returns the mean over the answer's calls of the mean similarity of the given parameters; a parameter given on one side only counts 0. */
        double values(List<FunctionCall> gold, List<FunctionCall> predicted) {
            return mean(gold, predicted, this::values);
        }

        private double values(FunctionCall gold, FunctionCall predicted) {
            Map<String, ParameterSpec> specs = new HashMap<>();
            spec(gold).parameters().forEach(spec -> specs.put(spec.name(), spec));
            return ValueSimilarity.ofFields(predicted.parameters(), gold.parameters(), (name, ours, theirs) -> {
                ParameterSpec spec = specs.get(name);
                return spec == null
                        ? ValueSimilarity.of(ours, theirs, false, null)
                        : ValueSimilarity.of(ours, theirs, spec.enumeration() != null, spec.structure());
            });
        }

        /**
         * Returns the mean share over the answer's calls. Each is paired in order with the response's call of the same function; without a pair
         * it counts 0.
         */
        private static double mean(
                List<FunctionCall> gold,
                List<FunctionCall> predicted,
                ToDoubleBiFunction<FunctionCall, FunctionCall> share) {
            Map<String, Deque<FunctionCall>> byName = new HashMap<>();
            predicted.forEach(call -> byName.computeIfAbsent(call.name(), name -> new ArrayDeque<>())
                    .add(call));
            List<Double> shares = new ArrayList<>();
            for (FunctionCall call : gold) {
                FunctionCall same =
                        byName.getOrDefault(call.name(), new ArrayDeque<>()).poll();
                shares.add(same == null ? 0 : share.applyAsDouble(call, same));
            }
            return shares.stream().mapToDouble(Double::doubleValue).average().orElse(0);
        }

        private FunctionSpec spec(FunctionCall gold) {
            FunctionSpec spec = pool.get(gold.name());
            if (spec == null) {
                throw new IllegalArgumentException("the answer calls " + gold.name() + ", which is not in the pool");
            }
            return spec;
        }

        private static boolean isFilled(@Nullable JsonNode value) {
            return ValueSimilarity.isGiven(value) && value != null && !(value.isContainerNode() && value.isEmpty());
        }
    }

    /**
     * Computes the schema credit R_schema of a response that violates the grammar (PRPF A.4). It gives a quarter each for the tags' order,
     * valid JSON, present fields and the structure of calls, at most three quarters.
     */
    static final class SchemaCredit {
        private static final int PARTS = 4;

        /** The tags of a response, in order. */
        private static final Pattern ORDER = Pattern.compile("(" + block(ResponseGrammar.UI_SUMMARY, "") + ")?("
                + block(ResponseGrammar.THINKING, "(" + block(ResponseGrammar.FUNCTION_SELECTION, "") + ")?") + ")?"
                + block(ResponseGrammar.RECOMMENDATIONS, ""));

        private static final Pattern SINGLE_STAGE_ORDER = Pattern.compile("(" + block(ResponseGrammar.THINK, "") + ")?("
                + block(ResponseGrammar.REC, "") + ")?" + block(ResponseGrammar.FUNCTION, ""));

        private SchemaCredit() {}

        /**
         * Returns the credit, in [0, 3/4].
         *
         * @param form required of the response; only this form's tags and blocks count
         */
        static double ofMalformed(String text, ResponseForm form) {
            boolean singleStage = ResponseGrammar.isSingleStage(text, form);
            Pattern tag = singleStage ? ResponseGrammar.SINGLE_STAGE_TAG : ResponseGrammar.TAG;
            int met = (singleStage ? SINGLE_STAGE_ORDER : ORDER)
                            .matcher(tagsOf(tag, text))
                            .matches()
                    ? 1
                    : 0;
            JsonNode json = json(text, singleStage ? ResponseGrammar.FUNCTION : ResponseGrammar.RECOMMENDATIONS);
            if (json != null && singleStage) {
                JsonNode calls = json.path(ResponseGrammar.MODEL_RECOMMENDATION);
                met += 1 + (calls.isArray() ? 1 : 0) + (calls.isArray() && all(calls, SchemaCredit::isCall) ? 1 : 0);
            } else if (json != null) {
                met += 1 + (hasFields(json) ? 1 : 0) + (hasCalls(json) ? 1 : 0);
            }
            return (double) Math.min(met, PARTS - 1) / PARTS;
        }

        private static String block(String name, String inside) {
            return ResponseGrammar.open(name) + inside + ResponseGrammar.close(name);
        }

        private static String tagsOf(Pattern tag, String text) {
            return tag.matcher(text).results().map(MatchResult::group).collect(Collectors.joining());
        }

        /** Returns a block's content if it is JSON; the closing tag may be missing. */
        private static @Nullable JsonNode json(String text, String block) {
            String open = ResponseGrammar.open(block);
            int begin = text.indexOf(open);
            if (begin < 0) {
                return null;
            }
            int end = text.lastIndexOf(ResponseGrammar.close(block));
            return EmbeddedJson.read(text.substring(begin + open.length(), end < begin ? text.length() : end));
        }

        private static boolean hasFields(JsonNode array) {
            return array.isArray() && all(array, SchemaCredit::isRecommendation);
        }

        private static boolean isRecommendation(JsonNode entry) {
            return entry.path("instruction").isTextual()
                    && calls(entry).isArray()
                    && !calls(entry).isEmpty();
        }

        private static boolean hasCalls(JsonNode array) {
            return array.isArray() && all(array, entry -> all(calls(entry), SchemaCredit::isCall));
        }

        private static boolean isCall(JsonNode call) {
            return call.path("name").isTextual()
                    && !call.path("name").textValue().isBlank()
                    && call.path("parameters").isObject();
        }

        private static JsonNode calls(JsonNode entry) {
            return entry.has("function") ? entry.path("function") : entry.path("functions");
        }

        private static boolean all(JsonNode array, Predicate<JsonNode> rule) {
            return StreamSupport.stream(array.spliterator(), false).allMatch(rule);
        }
    }
}
