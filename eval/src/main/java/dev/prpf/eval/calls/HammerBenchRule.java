package dev.prpf.eval.calls;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * HammerBench (arXiv 2412.16516): one call, of the wanted function, with exactly the wanted parameters. Its repository has a script for that,
 * which was not at hand; how values are compared is therefore ours: numbers by value, all else as text, without blanks and in lower case.
 *
 * @param function its name
 * @param values of its parameters
 */
record HammerBenchRule(String function, Map<String, JsonNode> values) implements CallRule {
    @Override
    public @Nullable CallError judge(List<FunctionCall> calls) {
        if (calls.size() != 1) {
            return CallError.WRONG_COUNT;
        }
        FunctionCall call = calls.get(0);
        if (!call.name().equals(function)) {
            return CallError.WRONG_FUNCTION;
        }
        if (!values.keySet().containsAll(call.parameters().keySet())) {
            return CallError.UNEXPECTED_PARAMETER;
        }
        if (!call.parameters().keySet().containsAll(values.keySet())) {
            return CallError.MISSING_REQUIRED;
        }
        return call.parameters().entrySet().stream()
                        .allMatch(given -> isRight(given.getValue(), values.get(given.getKey())))
                ? null
                : CallError.WRONG_VALUE;
    }

    private static boolean isRight(JsonNode given, @Nullable JsonNode wanted) {
        return wanted != null
                && (JsonValues.same(given, wanted, false) || text(given).equals(text(wanted)));
    }

    private static String text(JsonNode value) {
        return (value.isTextual() ? value.textValue() : value.toString())
                .replaceAll("(?U)\\s", "")
                .toLowerCase(Locale.ROOT);
    }
}
