package dev.prpf.data.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.Suggestion;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.io.Defect;
import dev.prpf.data.io.FunctionCallJson.LocatedCall;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks a call against the pool: its name, its required and allowed parameters, and their values.
 *
 * @param pool the readable part of the pool
 */
public record CallChecker(FunctionPoolFile.Reading pool) {
    /** Returns the fatal defects of a call by the rules of {@code data validate}, with paths relative to the call. */
    public static List<Defect> fatal(FunctionPool pool, FunctionCall call) {
        List<Defect> defects = new ArrayList<>();
        new CallChecker(new FunctionPoolFile.Reading(pool, Set.of(), true))
                .check(new LocatedCall("", call), defects::add);
        defects.removeIf(defect -> !defect.isFatal());
        return defects;
    }

    void check(LocatedCall located, Defect.Sink defects) {
        FunctionCall call = located.call();
        if (!pool.whole() || pool.defective().contains(call.name())) {
            return; // the pool's defect is reported, not its consequences
        }
        FunctionSpec function = pool.pool().get(call.name());
        if (function == null) {
            String rule = "is not a function of the pool, which has "
                    + pool.pool().size() + nearest(call.name(), pool.pool().names());
            defects.fatal(located.path() + "/name", "unknown-function", TextNode.valueOf(call.name()), rule);
            return;
        }
        Map<String, ParameterSpec> specs = function.parametersByName();
        specs.values().forEach(spec -> requireGiven(spec, located, defects));
        call.parameters().forEach((name, value) -> checkGiven(specs, name, located, defects));
    }

    private static void requireGiven(ParameterSpec spec, LocatedCall located, Defect.Sink defects) {
        FunctionCall call = located.call();
        JsonNode value = call.parameters().get(spec.name());
        if (spec.required() && isMissing(value)) {
            String rule = "function \"" + call.name() + "\" must be given parameter \"" + spec.name() + "\"";
            defects.fatal(pathOf(located, spec.name()), "missing-required-parameter", value, rule);
        }
    }

    private static void checkGiven(
            Map<String, ParameterSpec> specs, String name, LocatedCall located, Defect.Sink defects) {
        FunctionCall call = located.call();
        JsonNode value = Objects.requireNonNull(call.parameters().get(name));
        ParameterSpec spec = specs.get(name);
        if (spec == null) {
            String rule =
                    "function \"" + call.name() + "\" has no parameter \"" + name + "\", it has " + specs.keySet();
            defects.fatal(pathOf(located, name), "unknown-parameter", value, rule);
        } else if (!ValueChecker.isEmpty(value) && !(spec.required() && isMissing(value))) {
            ValueChecker.check(spec, value, pathOf(located, name), defects);
        }
    }

    /** Returns whether a value is absent, or empty of the right type. */
    private static boolean isMissing(@Nullable JsonNode value) {
        return ValueChecker.isEmpty(value)
                || value == null
                || (value.isTextual() && value.textValue().isBlank())
                || (value.isContainerNode() && value.isEmpty());
    }

    private static String pathOf(LocatedCall located, String parameter) {
        return JsonText.member(located.path() + "/parameters", parameter);
    }

    private static String nearest(String name, Set<String> names) {
        return Suggestion.closest(name, names)
                .map(best -> "; did you mean \"" + best + "\"?")
                .orElse("");
    }
}
