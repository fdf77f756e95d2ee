package dev.prpf.eval.judge;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A normalised call: calls that the exact judge takes as the same have equal normal forms.
 *
 * <p>Equal are: a null, blank or absent parameter (the benchmark's records name every parameter and leave optional ones empty). Numbers of equal
 * value (3 and 3.0). Dicts in any key order, an empty field as an absent one. Strings of equal {@link NormalText}. Elements of a set in any
 * order and number; sets are of type {@code set} or a {@code list} of enumerated elements (a choice of several). Strings that the pool
 * enumerates are names: only their case and width are normalised, no unit and no date.
 *
 * <p>Different are: values of different JSON types ("3" and 3, "true" and true, ["a"] and "a"). Strings with different inner white space. Other
 * lists in another order; an empty list and an absent parameter. Function and parameter names of another case, and every paraphrase.
 *
 * @param name of the function
 * @param parameters by name, in normal form; without empty ones
 */
public record NormalForm(String name, Map<String, Object> parameters) {
    /** Properties of a value in the pool: it is enumerated; its elements are a set, without order. */
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

    /** Returns equal objects for equal values: 3 and 3.0 are one BigDecimal. A number beyond a double has no decimal value. */
    private static Object number(JsonNode node) {
        boolean overflown = (node.isFloat() || node.isDouble()) && !Double.isFinite(node.doubleValue());
        return overflown ? (Object) node.doubleValue() : node.decimalValue().stripTrailingZeros();
    }

    /** Normalizes strings so that strings of equal meaning are equal, as far as rules without a model can decide. */
    static final class NormalText {
        private static final int LONGEST_VALUE = 48;

        /** Full-width and half-width forms of other characters. */
        private static final Pattern OTHER_WIDTH =
                Pattern.compile("[\\u3000\\uFF01-\\uFF9F\\uFFE0-\\uFFE2\\uFFE4-\\uFFE6\\uFFE8-\\uFFEE]+");

        private static final Pattern CASED =
                Pattern.compile("(?s).*://.*|\\S*[/@]\\S*|(?=\\S*\\d)(?=\\S*\\p{Lu})(?=\\S*\\p{Ll})\\S+");

        private static final Pattern NUMBER_WITH_UNIT = Pattern.compile("[+-]?\\d[\\d.,]*\\s*[\\p{L}°]{1,4}");

        private NormalText() {}

        /**
         * Normalizes width, case and white space at the ends. Addresses keep their case; so does one word that is a path, a mail address or a code of
         * digits and letters of both cases.
         */
        static String folded(String text) {
            String narrow = ofOneWidth(text);
            return CASED.matcher(narrow).matches() ? narrow : narrow.toLowerCase(Locale.ROOT);
        }

        /** Normalizes only the width. NFKC would also turn 3² into 32, ½ into 1⁄2 and ① into 1, which are different values. */
        private static String ofOneWidth(String text) {
            String narrow = OTHER_WIDTH
                    .matcher(text)
                    .replaceAll(
                            run -> Matcher.quoteReplacement(Normalizer.normalize(run.group(), Normalizer.Form.NFKC)));
            return Normalizer.normalize(narrow, Normalizer.Form.NFC).strip();
        }

        /** A string that is a date, a time or a quantity as a whole becomes a {@link WrittenTime} or {@link Quantity}; others are
         * folded. A unit that is not known keeps its case: 20 mW is not 20 MW. */
        static Object of(String text) {
            String folded = folded(text);
            if (folded.length() > LONGEST_VALUE || folded.chars().noneMatch(c -> c >= '0' && c <= '9')) {
                return folded;
            }
            String narrow = ofOneWidth(text);
            WrittenTime moment = WrittenTime.read(narrow.toLowerCase(Locale.ROOT));
            if (moment != null) {
                return moment;
            }
            @Nullable Quantity quantity = Quantity.read(narrow);
            if (quantity == null) {
                return NUMBER_WITH_UNIT.matcher(narrow).matches() ? narrow : folded;
            }
            return quantity;
        }
    }
}
