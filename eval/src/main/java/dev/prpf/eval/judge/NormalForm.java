package dev.prpf.eval.judge;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.ParameterSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A call in a form where the exact judge's equality is Java's.
 *
 * <p>Equal are: a parameter given as null or as a blank string and one not given (the benchmark's records name every parameter and leave
 * optional ones empty); numbers of equal value (3 and 3.0); dicts in any key order, their empty fields as absent; strings of equal {@link
 * NormalText}; the elements of a list in any order, and any number of times, where the pool says that it is a set: its type is {@code set},
 * or it is a {@code list} of enumerated elements (a choice of several). Strings that the pool enumerates are names: of them only case and
 * width are normalised, no unit and no date.
 *
 * <p>Different are: values of different JSON types ("3" and 3, "true" and true, ["a"] and "a"), other white space inside a string, other lists
 * in another order, an empty list and an absent parameter, function and parameter names in other letters, and every paraphrase.
 *
 * @param name of the function
 * @param parameters by name, in normal form; empty ones are left out
 */
public record NormalForm(String name, Map<String, Object> parameters) {
    public NormalForm {
        parameters = Collections.unmodifiableMap(new HashMap<>(parameters));
    }

    /** What the pool says of a value: whether it is one of an enumeration, and whether the order of its elements has a meaning. */
    private record Kind(boolean enumerated, boolean set) {
        static final Kind FREE = new Kind(false, false);

        static Kind of(@Nullable ParameterSpec spec) {
            if (spec == null) {
                return FREE;
            }
            boolean enumerated = spec.enumeration() != null;
            return new Kind(
                    enumerated, spec.type().equals("set") || (spec.type().equals("list") && enumerated));
        }

        Kind ofElements() {
            return new Kind(enumerated, false);
        }
    }

    /** @param spec of the function, or null where the pool has none */
    static NormalForm of(FunctionCall call, @Nullable FunctionSpec spec) {
        Map<String, ParameterSpec> specs = spec == null ? Map.of() : spec.parametersByName();
        return new NormalForm(call.name(), fields(call.parameters().entrySet(), name -> Kind.of(specs.get(name))));
    }

    private static Map<String, Object> fields(Set<Map.Entry<String, JsonNode>> entries, Function<String, Kind> kinds) {
        Map<String, Object> fields = new HashMap<>();
        entries.forEach(entry -> {
            JsonNode node = entry.getValue();
            if (!node.isNull()
                    && !node.isMissingNode()
                    && !(node.isTextual() && NormalText.folded(node.textValue()).isEmpty())) {
                fields.put(entry.getKey(), value(node, kinds.apply(entry.getKey())));
            }
        });
        return fields;
    }

    private static Object value(JsonNode node, Kind kind) {
        return switch (node.getNodeType()) {
            case STRING -> kind.enumerated() ? NormalText.folded(node.textValue()) : NormalText.of(node.textValue());
            case NUMBER -> number(node);
            case BOOLEAN -> node.booleanValue();
            case OBJECT -> fields(node.properties(), name -> Kind.FREE);
            case ARRAY -> {
                List<Object> elements = new ArrayList<>();
                node.forEach(element -> elements.add(value(element, kind.ofElements())));
                yield kind.set() ? new HashSet<>(elements) : elements;
            }
            default -> node; // null inside a list
        };
    }

    /** Equal values, equal objects: 3 and 3.0 are one BigDecimal. A number beyond a double has no decimal value. */
    private static Object number(JsonNode node) {
        boolean overflown = (node.isFloat() || node.isDouble()) && !Double.isFinite(node.doubleValue());
        return overflown ? (Object) node.doubleValue() : node.decimalValue().stripTrailingZeros();
    }
}
