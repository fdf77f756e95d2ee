package dev.prpf.eval.judge;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import java.math.BigDecimal;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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

    /**
     * A number with its unit, in any spelling: 5 km, 5公里, 5,000 metres; 20元, 20 RMB. Ambiguous texts are not quantities: 5G is a network or grams,
     * 3D is not three days, 5 Mb are bits, +5% is a change. 100兆 is a speed, ¥20 are yen or yuan, 5块 pieces or yuan, 1磅 a pound of weight or money.
     *
     * @param unit the canonical one of its dimension
     * @param amount in that unit, without trailing zeros
     */
    record Quantity(String unit, BigDecimal amount) {
        /** One unit a line: the canonical unit, the factor to it, the unit's names; {@code _} is a space. */
        private static final String UNITS =
                """
                m 1 m meter meters metre metres 米
                m 1000 km kilometer kilometers kilometre kilometres 公里 千米
                m 0.01 cm centimeter centimeters centimetre centimetres 厘米 公分
                m 0.001 mm millimeter millimeters millimetre millimetres 毫米
                m 1609.344 mile miles 英里
                m 0.3048 ft foot feet 英尺
                m 0.0254 inch inches 英寸
                g 1 g gram grams 克
                g 1000 kg kgs kilogram kilograms 公斤 千克
                g 500 斤
                g 0.001 mg milligram milligrams 毫克
                g 1000000 吨
                lb 1 lb lbs
                s 1 s sec secs second seconds 秒 秒钟
                s 60 min mins minute minutes 分钟
                s 3600 h hr hrs hour hours 小时 个小时 钟头 个钟头
                s 86400 day days 天
                s 604800 week weeks 周 星期 个星期
                month 1 month months 个月
                year 1 year years 年
                l 1 l liter liters litre litres 升
                l 0.001 ml milliliter milliliters millilitre millilitres 毫升
                kb 1 kb
                mb 1 mb
                gb 1 gb
                tb 1 tb
                celsius 1 °c ℃ celsius degrees_celsius 摄氏度
                fahrenheit 1 °f ℉ fahrenheit degrees_fahrenheit 华氏度
                percent 1 % percent
                m/s 1 m/s 米/秒
                km/h 1 km/h kmh 公里/小时 千米/小时
                cny 1 元 块钱 人民币 rmb cny yuan
                usd 1 $ usd dollar dollars 美元
                eur 1 € eur euro euros 欧元
                hkd 1 hkd 港币 港元
                """;

        private static final Map<String, Quantity> BY_NAME = byName();

        private static final Map<String, BigDecimal> MULTIPLES = Map.of(
                "万", BigDecimal.valueOf(10_000),
                "亿", BigDecimal.valueOf(100_000_000),
                "thousand", BigDecimal.valueOf(1_000),
                "million", BigDecimal.valueOf(1_000_000),
                "billion", BigDecimal.valueOf(1_000_000_000));

        /** Groups: currency sign; number with or without thousands separators; multiple; unit. */
        private static final Pattern WRITTEN = Pattern.compile(
                "([$€])?\\s*(-?(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?)\\s*([万亿]|(?i:thousand|million|billion))?\\s*([^\\d\\s]\\D*)?");

        /** Unit spellings that have another meaning. */
        private static final Pattern OTHER_UNIT = Pattern.compile("[A-KM-Z]|M[gml]|[kKMGT]b");

        private static Map<String, Quantity> byName() {
            Map<String, Quantity> byName = new HashMap<>();
            UNITS.lines().forEach(line -> {
                List<String> words = List.of(line.split(" "));
                Quantity one = new Quantity(words.get(0), new BigDecimal(words.get(1)));
                words.stream().skip(2).forEach(name -> byName.put(name.replace('_', ' '), one));
            });
            return Map.copyOf(byName);
        }

        /** Parses a whole text of one width; null if the text is not a number with a known unit. */
        static @Nullable Quantity read(String text) {
            Matcher matcher = WRITTEN.matcher(text);
            if (!matcher.matches()
                    || (matcher.group(4) != null
                            && OTHER_UNIT.matcher(matcher.group(4)).matches())) {
                return null;
            }
            Quantity before = matcher.group(1) == null ? null : BY_NAME.get(matcher.group(1));
            Quantity behind = matcher.group(4) == null
                    ? null
                    : BY_NAME.get(matcher.group(4).toLowerCase(Locale.ROOT));
            Quantity one = before == null ? behind : before;
            boolean other = matcher.group(4) != null && !Objects.equals(one, behind); // unknown, or not the sign's
            if (one == null || other) {
                return null;
            }
            BigDecimal number = new BigDecimal(matcher.group(2).replace(",", ""));
            BigDecimal multiple = matcher.group(3) == null
                    ? BigDecimal.ONE
                    : MULTIPLES.get(matcher.group(3).toLowerCase(Locale.ROOT));
            return new Quantity(
                    one.unit(),
                    number.multiply(Objects.requireNonNull(multiple))
                            .multiply(one.amount())
                            .stripTrailingZeros());
        }
    }
}
