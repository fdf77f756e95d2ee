package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.Suggestion;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.io.FunctionCallJson.LocatedCall;
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

    /** Checks a value against the parameter's type, enumeration and structure. Each part of the value has at most one defect. */
    static final class ValueChecker {
        private static final Set<String> TYPE_WORDS = Set.of("string", "int", "bool", "list", "dict");

        private ValueChecker() {}

        static void check(ParameterSpec spec, JsonNode value, String path, Defect.Sink defects) {
            if (!hasType(spec.type(), value)) {
                String rule = "is not of type " + spec.type() + ", which parameter \"" + spec.name() + "\" must have";
                defects.fatal(path, "parameter-type", value, rule);
                return;
            }
            if (value.isArray() && !isOneOf(spec)) {
                checkElements(spec, value, path, defects);
            } else if (value.isObject() && !isOneOf(spec)) {
                checkFields(spec.structure(), value, path, defects);
            } else {
                checkScalar(spec.enumeration(), value, path, defects);
            }
        }

        /** Returns whether a field is described only by its values; it must be one of them, never a list or a dict. */
        private static boolean isOneOf(ParameterSpec spec) {
            return spec.type().isEmpty() && spec.enumeration() != null;
        }

        /** Returns whether a value has a type; unknown types are not checked, since the pool's reader warns of them. */
        static boolean hasType(String type, JsonNode value) {
            return switch (type) {
                case "string" -> value.isTextual();
                case "int" -> value.isIntegralNumber();
                case "bool" -> value.isBoolean();
                case "list" -> value.isArray();
                case "dict" -> value.isObject();
                default -> true;
            };
        }

        private static void checkScalar(
                @Nullable List<JsonNode> enumeration, JsonNode value, String path, Defect.Sink defects) {
            if (enumeration == null) {
                if (value.isTextual() && value.textValue().isBlank()) {
                    defects.warning(path, "blank-text", value, "is blank");
                }
            } else if (enumeration.stream().noneMatch(allowed -> same(allowed, value))) {
                String rule = "is not one of the allowed values, " + abbreviate(enumeration);
                defects.fatal(path, "outside-enumeration", value, rule);
            }
        }

        /** Compares with an allowed value; pools write {@code "1"} or {@code 1}, and the value's type is checked before. */
        private static boolean same(JsonNode allowed, JsonNode value) {
            return allowed.equals(value)
                    || (allowed.isValueNode()
                            && value.isValueNode()
                            && allowed.asText().equals(value.asText()));
        }

        private static String abbreviate(List<JsonNode> enumeration) {
            return enumeration.size() <= 20
                    ? enumeration.toString()
                    : enumeration.subList(0, 20).toString().replaceAll("]$", ", … " + enumeration.size() + " in all]");
        }

        private static void checkElements(ParameterSpec spec, JsonNode list, String path, Defect.Sink defects) {
            for (int i = 0; i < list.size(); i++) {
                JsonNode element = list.get(i);
                String place = path + "/" + i;
                if (element.isNull()) {
                    defects.fatal(place, "parameter-type", element, "is null, an element of a list must be a value");
                } else if (isDict(spec.structure()) && !element.isObject()) {
                    String rule = "is not a dict, which the elements of \"" + spec.name() + "\" must be";
                    defects.fatal(place, "parameter-type", element, rule);
                } else if (element.isObject() && spec.enumeration() == null) {
                    checkFields(spec.structure(), element, place, defects);
                } else {
                    checkScalar(spec.enumeration(), element, place, defects);
                }
            }
        }

        /** Checks the fields of a dict, which are described by a text, a type, an enumeration, or like a parameter. */
        private static void checkFields(@Nullable JsonNode structure, JsonNode dict, String path, Defect.Sink defects) {
            if (structure == null || !isDict(structure)) {
                return;
            }
            for (Map.Entry<String, JsonNode> field : dict.properties()) {
                String place = JsonText.member(path, field.getKey());
                JsonNode described = structure.get(field.getKey());
                if (described == null) {
                    String rule = "is not a field of this dict, which has "
                            + structure.propertyStream().map(Map.Entry::getKey).toList();
                    defects.fatal(place, "unknown-dict-field", field.getValue(), rule);
                } else if (!isEmpty(field.getValue())) {
                    checkField(field.getKey(), described, field.getValue(), place, defects);
                }
            }
            structure
                    .properties()
                    .forEach(field -> requireField(field.getKey(), field.getValue(), dict, path, defects));
        }

        private static boolean isDict(@Nullable JsonNode structure) {
            return structure != null && structure.isObject();
        }

        /** Reports a missing field; fatal only if the pool requires it. ProactiveMobile's annotators had to fill every field. */
        private static void requireField(
                String name, JsonNode described, JsonNode dict, String path, Defect.Sink defects) {
            String mustFill = described.path("must_fill").asText();
            if (mustFill.equals("optional") || !isEmpty(dict.get(name))) {
                return;
            }
            String place = JsonText.member(path, name);
            JsonNode value = dict.get(name);
            if (mustFill.equals("required")) {
                defects.fatal(place, "missing-dict-field", value, "is a required field of this dict");
            } else {
                defects.warning(place, "missing-dict-field", value, "every field of a dict should be given");
            }
        }

        private static void checkField(
                String name, JsonNode described, JsonNode value, String place, Defect.Sink defects) {
            String type = described.isObject() ? described.path("type").asText() : described.asText();
            JsonNode allowed = described.isObject() ? described.path("value") : described;
            boolean enumerated = allowed.isArray() && !allowed.isEmpty();
            if (!TYPE_WORDS.contains(type) && !enumerated) {
                return;
            }
            List<JsonNode> enumeration = enumerated ? allowed.valueStream().toList() : null;
            JsonNode nested = allowed.isObject() ? allowed : null;
            check(new ParameterSpec(name, "", type, false, enumeration, nested), value, place, defects);
        }

        /** Returns whether a value is absent, null or the empty string. */
        static boolean isEmpty(@Nullable JsonNode value) {
            return value == null
                    || value.isNull()
                    || (value.isTextual() && value.textValue().isEmpty());
        }
    }
}
