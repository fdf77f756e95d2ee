package dev.prpf.eval.calls;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Compares JSON values like the leaderboards' Python programs. */
final class JsonComparison {
    private static final Pattern PUNCTUATION = Pattern.compile("[ ,./\\-_*^]");

    private JsonComparison() {}

    /** The Python types of JSON values. */
    enum Kind {
        TEXT,
        INTEGER,
        DECIMAL,
        BOOLEAN,
        LIST,
        DICT,
        NOTHING;

        private static final Map<String, Kind> OF_SCHEMA = new TreeMap<>(Map.of(
                "string", TEXT, "any", TEXT, "integer", INTEGER, "float", DECIMAL, "boolean", BOOLEAN, "array", LIST,
                "tuple", LIST, "dict", DICT));

        static Kind of(JsonNode value) {
            return switch (value.getNodeType()) {
                case STRING -> TEXT;
                case NUMBER -> value.isIntegralNumber() ? INTEGER : DECIMAL;
                case BOOLEAN -> BOOLEAN;
                case ARRAY -> LIST;
                case OBJECT -> DICT;
                default -> NOTHING;
            };
        }

        /** Returns the kind of a schema's type (BFCL's PYTHON_TYPE_MAPPING); null for an unknown type. */
        static @Nullable Kind ofSchema(String type) {
            return OF_SCHEMA.get(type);
        }
    }

    /** Returns standardize_string of BFCL and ACEBench: without {@code  ,./-_*^}, in lower case, {@code '} as {@code "}. */
    static String standard(String text) {
        return PUNCTUATION.matcher(text).replaceAll("").toLowerCase(Locale.ROOT).replace('\'', '"');
    }

    /** Compares like Python's {@code ==}, except that booleans never equal numbers; optionally compares strings in standard form. */
    static boolean same(JsonNode a, JsonNode b, boolean standard) {
        if (a.isNumber() && b.isNumber()) {
            return a.decimalValue().compareTo(b.decimalValue()) == 0;
        }
        if (a.isTextual() && b.isTextual()) {
            return standard
                    ? standard(a.textValue()).equals(standard(b.textValue()))
                    : a.textValue().equals(b.textValue());
        }
        if (a.isArray() && b.isArray()) {
            return a.size() == b.size() && IntStream.range(0, a.size()).allMatch(i -> same(a.get(i), b.get(i), false));
        }
        if (a.isObject() && b.isObject()) {
            return a.size() == b.size()
                    && a.propertyStream()
                            .allMatch(field -> b.has(field.getKey())
                                    && same(field.getValue(), Objects.requireNonNull(b.get(field.getKey())), false));
        }
        return a.equals(b);
    }

    /** Compares lists like list_checker, with their strings in standard form. */
    static boolean sameLists(JsonNode a, JsonNode b) {
        return a.size() == b.size() && IntStream.range(0, a.size()).allMatch(i -> same(a.get(i), b.get(i), true));
    }

    /** Returns the names under {@code required}. */
    static List<String> required(JsonNode schema) {
        return schema.path("required").valueStream().map(JsonNode::asText).toList();
    }
}
