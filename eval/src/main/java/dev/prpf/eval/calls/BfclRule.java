package dev.prpf.eval.calls;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.eval.calls.CallTask.CallRule;
import dev.prpf.eval.calls.CallTask.CallRule.CallError;
import dev.prpf.eval.calls.JsonComparison.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The Berkeley leaderboard's AST check of Python categories (bfcl_eval/eval_checker/ast_eval/ast_checker.py of bfcl-eval
 * 2026.3.23). Its rules in order: number of calls, function, required parameters, no unaccepted parameters, type, accepted value,
 * omitted parameters. Several calls match in any order; each wanted call takes the first call that is right for it.
 */
record BfclRule(List<Wanted> wanted) implements CallRule {
    /**
     * A wanted call of an answer.
     *
     * @param schema the function's {@code parameters}
     * @param accepted the accepted values by parameter; "" means that it may be omitted
     */
    record Wanted(String function, JsonNode schema, Map<String, JsonNode> accepted) {}

    /** type_checker's results: the schema's type, or the accepted values' other type (a variable's name in the source). */
    private enum Typed {
        VALUE,
        VARIABLE,
        WRONG
    }

    @Override
    public @Nullable CallError judge(List<FunctionCall> calls) {
        if (calls.size() != wanted.size()) {
            return CallError.WRONG_COUNT;
        }
        if (wanted.size() == 1) {
            return judge(wanted.get(0), calls.get(0));
        }
        List<FunctionCall> left = new ArrayList<>(calls);
        for (Wanted one : wanted) {
            Optional<FunctionCall> match =
                    left.stream().filter(call -> judge(one, call) == null).findFirst();
            if (match.isEmpty()) {
                return CallError.NO_MATCH;
            }
            left.remove(match.get());
        }
        return null;
    }

    private static @Nullable CallError judge(Wanted wanted, FunctionCall call) {
        if (!call.name().equals(wanted.function())) {
            return CallError.WRONG_FUNCTION;
        }
        Map<String, JsonNode> given = call.parameters();
        if (!given.keySet().containsAll(JsonComparison.required(wanted.schema()))) {
            return CallError.MISSING_REQUIRED;
        }
        for (Map.Entry<String, JsonNode> parameter : given.entrySet()) {
            JsonNode schema = wanted.schema().path("properties").path(parameter.getKey());
            JsonNode accepted = wanted.accepted().get(parameter.getKey());
            if (schema.isMissingNode() || accepted == null) {
                return CallError.UNEXPECTED_PARAMETER;
            }
            CallError error = value(parameter.getValue(), accepted, schema);
            if (error != null) {
                return error;
            }
        }
        boolean omitted = wanted.accepted().entrySet().stream()
                .anyMatch(entry -> !given.containsKey(entry.getKey())
                        && entry.getValue().valueStream().noneMatch(BfclRule::isOptional));
        return omitted ? CallError.MISSING_OPTIONAL : null;
    }

    private static boolean isOptional(JsonNode accepted) {
        return accepted.isTextual() && accepted.textValue().isEmpty();
    }

    private static @Nullable CallError value(JsonNode value, JsonNode accepted, JsonNode schema) {
        Kind expected = Objects.requireNonNull(Kind.ofSchema(schema.path("type").asText()), "read with known types");
        Kind element = expected == Kind.LIST
                ? Kind.ofSchema(schema.path("items").path("type").asText())
                : null;
        boolean widened = expected == Kind.DECIMAL && Kind.of(value) == Kind.INTEGER; // int where float is required
        Typed typed = typed(widened ? Kind.DECIMAL : Kind.of(value), value, accepted, expected, element);
        if (typed == Typed.WRONG) {
            return CallError.WRONG_TYPE;
        }
        return isAccepted(value, accepted, typed == Typed.VARIABLE ? Kind.NOTHING : expected, element)
                ? null
                : CallError.WRONG_VALUE;
    }

    private static boolean isAccepted(JsonNode value, JsonNode accepted, Kind checked, @Nullable Kind element) {
        return switch (checked) {
            case DICT -> dict(value, accepted);
            case LIST ->
                element == Kind.DICT
                        ? accepted.valueStream().anyMatch(list -> dicts(value, list))
                        : accepted.valueStream().anyMatch(list -> JsonComparison.sameLists(value, list));
            case TEXT -> accepted.valueStream().anyMatch(one -> JsonComparison.same(value, one, true));
            default -> accepted.valueStream().anyMatch(one -> JsonComparison.same(value, one, false));
        };
    }

    private static Typed typed(Kind kind, JsonNode value, JsonNode accepted, Kind expected, @Nullable Kind element) {
        Kind possible = accepted.valueStream()
                .filter(one -> !isOptional(one))
                .findFirst()
                .map(Kind::of)
                .orElse(null);
        Typed found = possible != null && possible != expected ? Typed.VARIABLE : Typed.VALUE;
        if (kind == expected) {
            return element == null || accepted.valueStream().anyMatch(one -> elementsTyped(value, one, element))
                    ? found
                    : Typed.WRONG;
        }
        return kind == possible ? Typed.VARIABLE : Typed.WRONG;
    }

    private static boolean elementsTyped(JsonNode list, JsonNode accepted, Kind element) {
        return !accepted.isArray()
                || list.valueStream()
                        .noneMatch(part -> typed(Kind.of(part), part, accepted, element, null) == Typed.WRONG);
    }

    /** Checks a dict like dict_checker: it must be right for one of the accepted dicts. */
    private static boolean dict(JsonNode value, JsonNode accepted) {
        return accepted.valueStream().filter(one -> !isOptional(one)).anyMatch(fields -> hasFields(value, fields));
    }

    /** Returns whether all fields have accepted values, without other or missing fields. */
    private static boolean hasFields(JsonNode value, JsonNode fields) {
        return value.propertyStream().allMatch(field -> fields.path(field.getKey())
                        .valueStream()
                        .anyMatch(one -> JsonComparison.same(field.getValue(), one, true)))
                && fields.propertyStream()
                        .allMatch(field -> value.has(field.getKey())
                                || field.getValue().valueStream().anyMatch(BfclRule::isOptional));
    }

    /** Checks a list like list_dict_checker: as many dicts, each right for the accepted dict at its index. */
    private static boolean dicts(JsonNode value, JsonNode accepted) {
        return value.size() == accepted.size()
                && IntStream.range(0, value.size())
                        .allMatch(i -> value.get(i).isObject() && hasFields(value.get(i), accepted.get(i)));
    }
}
