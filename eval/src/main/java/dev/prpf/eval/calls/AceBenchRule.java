package dev.prpf.eval.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.eval.calls.CallTask.CallRule;
import dev.prpf.eval.calls.CallTask.CallRule.CallError;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * ACEBench's check of normal calls, as ported by evalscope 1.14.1 (evalscope/benchmarks/acebench/checker.py). Each function must
 * be called as often as in the answer, in any order. Required parameters must be given, other parameters of the answer may be
 * omitted, and further ones are wrong. A string must contain the answer's in standard form, a list must be equal, a dict must
 * have the same fields with matching texts. Unlike the source, numbers and booleans must be equal: there they are compared as
 * text inside dicts and not at all outside.
 *
 * @param alternatives the right answers, each a list of calls
 */
record AceBenchRule(List<List<Wanted>> alternatives) implements CallRule {
    /**
     * A call of an answer.
     *
     * @param function its name
     * @param schema the function's {@code parameters}
     * @param values the values of its parameters
     */
    record Wanted(String function, JsonNode schema, Map<String, JsonNode> values) {}

    @Override
    public @Nullable CallError judge(List<FunctionCall> calls) {
        CallError first = null;
        for (List<Wanted> answer : alternatives) {
            CallError error = judge(answer, calls);
            if (error == null) {
                return null;
            }
            first = first == null ? error : first;
        }
        return first;
    }

    private static @Nullable CallError judge(List<Wanted> answer, List<FunctionCall> calls) {
        if (calls.size() != answer.size()) {
            return CallError.WRONG_COUNT;
        }
        if (!counts(answer.stream().map(Wanted::function).toList())
                .equals(counts(calls.stream().map(FunctionCall::name).toList()))) {
            return CallError.WRONG_FUNCTION;
        }
        for (Wanted wanted : answer) {
            CallError error = CallError.NO_MATCH;
            for (FunctionCall call : calls) {
                if (error != null && call.name().equals(wanted.function())) {
                    error = judge(wanted, call.parameters());
                }
            }
            if (error != null) {
                return answer.size() > 1 ? CallError.NO_MATCH : error;
            }
        }
        return null;
    }

    private static Map<String, Integer> counts(List<String> names) {
        Map<String, Integer> counts = new HashMap<>();
        names.forEach(name -> counts.merge(name, 1, Integer::sum));
        return counts;
    }

    private static @Nullable CallError judge(Wanted wanted, Map<String, JsonNode> given) {
        boolean nothingGiven =
                given.isEmpty() && !wanted.schema().path("properties").isEmpty();
        if (nothingGiven || !given.keySet().containsAll(JsonComparison.required(wanted.schema()))) {
            return CallError.MISSING_REQUIRED;
        }
        for (Map.Entry<String, JsonNode> parameter : given.entrySet()) {
            JsonNode right = wanted.values().get(parameter.getKey());
            if (right == null) {
                return CallError.UNEXPECTED_PARAMETER;
            }
            JsonNode value = read(parameter.getValue(), right);
            if (right.getNodeType() != value.getNodeType()) {
                return CallError.WRONG_TYPE;
            }
            if (!isRight(value, right)) {
                return CallError.WRONG_VALUE;
            }
        }
        return null;
    }

    /** Reads the strings true and false as booleans where the answer has a boolean. */
    private static JsonNode read(JsonNode value, JsonNode right) {
        boolean word = value.asText().equals("true") || value.asText().equals("false");
        return right.isBoolean() && word ? BooleanNode.valueOf(value.asText().equals("true")) : value;
    }

    private static boolean isRight(JsonNode value, JsonNode right) {
        return switch (right.getNodeType()) {
            case STRING ->
                JsonComparison.standard(value.textValue()).contains(JsonComparison.standard(right.textValue()));
            case OBJECT -> dict(value, right);
            case ARRAY -> list(value, right);
            default -> JsonComparison.same(value, right, false);
        };
    }

    /** Checks a list like list_checker, or list_dict_checker for a list of dicts. */
    private static boolean list(JsonNode value, JsonNode right) {
        if (!right.path(0).isObject()) {
            return JsonComparison.sameLists(value, right);
        }
        return value.size() == right.size()
                && IntStream.range(0, right.size()).allMatch(i -> dict(value.get(i), right.get(i)));
    }

    /** Checks a dict like dict_checker: the same fields, and each value's text contains the answer's. */
    private static boolean dict(JsonNode value, JsonNode right) {
        return value.isObject()
                && value.size() == right.size()
                && value.propertyStream().allMatch(field -> field(field.getValue(), right.path(field.getKey())));
    }

    /** Returns whether a field is right; a field that the answer lacks is wrong. */
    private static boolean field(JsonNode value, JsonNode right) {
        if (right.isNumber() || right.isBoolean()) {
            return JsonComparison.same(read(value, right), right, false);
        }
        if (right.isObject()) {
            return dict(value, right);
        }
        return !right.isMissingNode() && text(value).contains(text(right));
    }

    private static String text(JsonNode value) {
        return value.isTextual() ? JsonComparison.standard(value.textValue()) : value.toString();
    }
}
