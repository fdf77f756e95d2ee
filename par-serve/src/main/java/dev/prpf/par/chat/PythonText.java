package dev.prpf.par.chat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.NumberOutput;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * JSON values in Python's notation, because templates are written for Python. {@code json.dumps(x, ensure_ascii=False)} is transformers' {@code
 * tojson} (it escapes no {@code <>&'}); the other is {@code str(x)}.
 */
final class PythonText {
    private static final JsonMapper JSON =
            JsonMapper.builder().disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE).build();
    private static final int LARGEST_FIXED_POINT = 15;
    private static final int SMALLEST_FIXED_POINT = -4;

    private PythonText() {}

    /** Returns {@code json.dumps(x, ensure_ascii=False)}; keys keep their order. */
    static String json(JsonNode value) {
        return switch (value.getNodeType()) {
            case STRING -> jsonString(value.asText());
            case OBJECT -> object(value, PythonText::jsonString, PythonText::json);
            case ARRAY -> array(value, PythonText::json);
            case NUMBER -> number(value).replace("inf", "Infinity");
            case BOOLEAN -> value.asBoolean() ? "true" : "false";
            default -> "null";
        };
    }

    /** Returns {@code str(x)} of a value. */
    static String str(JsonNode value) {
        return value.isTextual() ? value.asText() : repr(value);
    }

    private static String repr(JsonNode value) {
        return switch (value.getNodeType()) {
            case STRING -> quoted(value.asText());
            case OBJECT -> object(value, PythonText::quoted, PythonText::repr);
            case ARRAY -> array(value, PythonText::repr);
            case NUMBER -> number(value);
            case BOOLEAN -> value.asBoolean() ? "True" : "False";
            default -> "None";
        };
    }

    private static String object(JsonNode value, UnaryOperator<String> key, Function<JsonNode, String> writer) {
        return value.properties().stream()
                .map(entry -> key.apply(entry.getKey()) + ": " + writer.apply(entry.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String array(JsonNode value, Function<JsonNode, String> writer) {
        return value.valueStream().map(writer).collect(Collectors.joining(", ", "[", "]"));
    }

    private static String jsonString(String text) {
        try {
            return JSON.writeValueAsString(text);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns {@code repr} of a string: in single quotes, unless it has one and no double quote. */
    private static String quoted(String text) {
        char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        StringBuilder out = new StringBuilder().append(quote);
        text.codePoints().forEach(c -> out.append(c == quote ? "\\" + quote : escaped(c)));
        return out.append(quote).toString();
    }

    private static String escaped(int c) {
        return switch (c) {
            case '\\' -> "\\\\";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> {
                if (printable(c)) {
                    yield Character.toString(c);
                }
                String form = c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x";
                yield String.format(Locale.ROOT, form, c);
            }
        };
    }

    private static boolean printable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> true;
        };
    }

    private static String number(JsonNode value) {
        return value.isIntegralNumber() ? value.bigIntegerValue().toString() : real(value.asDouble());
    }

    /** Returns {@code float.__repr__}: the shortest digits that give the same double, with an exponent from 1e16 on and below 1e-4. */
    static String real(double value) {
        String sign = Math.copySign(1, value) < 0 ? "-" : "";
        if (Double.isInfinite(value)) {
            return sign + "inf";
        }
        if (value == 0) {
            return sign + "0.0";
        }
        BigDecimal written = new BigDecimal(NumberOutput.toString(Math.abs(value), true));
        BigDecimal oneDigit = written.round(new MathContext(1)); // the library writes at least two
        BigDecimal shortest = (oneDigit.doubleValue() == Math.abs(value) ? oneDigit : written).stripTrailingZeros();
        int exponent = shortest.precision() - shortest.scale() - 1;
        if (exponent < SMALLEST_FIXED_POINT || exponent > LARGEST_FIXED_POINT) {
            return sign + scientific(shortest.unscaledValue().toString(), exponent);
        }
        return sign + shortest.toPlainString() + (shortest.scale() <= 0 ? ".0" : "");
    }

    private static String scientific(String digits, int exponent) {
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        return mantissa + String.format(Locale.ROOT, "e%s%02d", exponent < 0 ? "-" : "+", Math.abs(exponent));
    }
}
