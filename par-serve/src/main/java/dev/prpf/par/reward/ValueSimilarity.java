package dev.prpf.par.reward;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleBiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.commons.text.similarity.LevenshteinDistance;
import org.jspecify.annotations.Nullable;

/**
 * Computes the similarity of two argument values, in [0, 1], by type (PRPF A.4, typed value similarity; the measures are ours). 1 means
 * equal for {@code eval score}'s exact judge, or the same date in another notation. Values of different types have 0.
 */
final class ValueSimilarity {
    private ValueSimilarity() {}

    /** Compares two given values of the same field. */
    @FunctionalInterface
    interface FieldSimilarity {
        double of(String name, JsonNode predicted, JsonNode gold);
    }

    /**
     * Compares two values by type.
     *
     * @param enumerated whether the pool enumerates the value, or a list's elements; then unequal values count 0
     * @param structure the pool's description of a dict's fields, or of a list's elements; or null
     */
    static double of(JsonNode predicted, JsonNode gold, boolean enumerated, @Nullable JsonNode structure) {
        if (predicted.isTextual() && gold.isTextual()) {
            return enumerated
                    ? indicator(TextSimilarity.equal(predicted.textValue(), gold.textValue()))
                    : TextSimilarity.of(predicted.textValue(), gold.textValue());
        }
        if (predicted.isNumber() && gold.isNumber()) {
            return equalNumbers(predicted, gold) ? 1 : enumerated ? 0 : nearness(predicted, gold);
        }
        if (predicted.isArray() && gold.isArray()) {
            return ofLists(predicted, gold, enumerated, structure);
        }
        if (predicted.isObject() && gold.isObject()) {
            return ofFields(
                    fields(predicted), fields(gold), (name, ours, theirs) -> ofField(ours, theirs, structure, name));
        }
        return indicator(predicted.equals(gold));
    }

    /** Returns the mean over the given fields. A field given on one side only counts 0; without any field the result is 1. */
    static double ofFields(Map<String, JsonNode> predicted, Map<String, JsonNode> gold, FieldSimilarity similarity) {
        Set<String> names = new LinkedHashSet<>(gold.keySet());
        names.addAll(predicted.keySet());
        double sum = 0;
        int given = 0;
        for (String name : names) {
            JsonNode ours = predicted.getOrDefault(name, NullNode.instance);
            JsonNode theirs = gold.getOrDefault(name, NullNode.instance);
            if (isGiven(ours) || isGiven(theirs)) {
                given++;
                sum += isGiven(ours) && isGiven(theirs) ? similarity.of(name, ours, theirs) : 0;
            }
        }
        return given == 0 ? 1 : sum / given;
    }

    /** Returns whether a value is given: not missing, null or blank text. */
    static boolean isGiven(@Nullable JsonNode value) {
        return value != null
                && !value.isNull()
                && !value.isMissingNode()
                && !(value.isTextual() && TextSimilarity.isBlank(value.textValue()));
    }

    private static double ofField(JsonNode ours, JsonNode theirs, @Nullable JsonNode structure, String name) {
        JsonNode described = structure == null ? null : structure.get(name);
        if (described == null) {
            return of(ours, theirs, false, null);
        }
        JsonNode allowed = described.isObject() ? described.path("value") : described;
        return of(ours, theirs, allowed.isArray() && !allowed.isEmpty(), allowed.isObject() ? allowed : null);
    }

    /** Returns the best order-preserving alignment over the longer list's length. */
    private static double ofLists(JsonNode predicted, JsonNode gold, boolean enumerated, @Nullable JsonNode structure) {
        int longer = Math.max(predicted.size(), gold.size());
        if (longer == 0) {
            return 1;
        }
        JsonNode element = structure != null && structure.isArray() ? structure.get(0) : structure;
        return alignment(
                        predicted.valueStream().toList(),
                        gold.valueStream().toList(),
                        (ours, theirs) -> of(ours, theirs, enumerated, element))
                / longer;
    }

    /** Returns the largest sum of similarities over pairs of elements that preserve the order of both lists. */
    static <T> double alignment(List<T> predicted, List<T> gold, ToDoubleBiFunction<T, T> similarity) {
        double[] row = new double[gold.size() + 1];
        for (T ours : predicted) {
            double diagonal = 0;
            for (int j = 1; j < row.length; j++) {
                double above = row[j];
                double paired = diagonal + similarity.applyAsDouble(ours, gold.get(j - 1));
                row[j] = Math.max(paired, Math.max(above, row[j - 1]));
                diagonal = above;
            }
        }
        return row[gold.size()];
    }

    private static boolean equalNumbers(JsonNode a, JsonNode b) {
        boolean whole = a.isIntegralNumber() && b.isIntegralNumber();
        return whole ? a.bigIntegerValue().equals(b.bigIntegerValue()) : a.doubleValue() == b.doubleValue();
    }

    /** Returns 1 - |a - b| / max(|a|, |b|) of unequal numbers, in [0, 1). */
    private static double nearness(JsonNode a, JsonNode b) {
        double larger = Math.max(Math.abs(a.doubleValue()), Math.abs(b.doubleValue()));
        double nearness = 1 - Math.abs(a.doubleValue() - b.doubleValue()) / larger;
        return Double.isFinite(nearness) ? Math.min(Math.nextDown(1.0), Math.max(0, nearness)) : 0;
    }

    private static Map<String, JsonNode> fields(JsonNode object) {
        Map<String, JsonNode> fields = new LinkedHashMap<>();
        object.properties().forEach(field -> fields.put(field.getKey(), field.getValue()));
        return fields;
    }

    private static double indicator(boolean condition) {
        return condition ? 1 : 0;
    }

    /** Computes the similarity of two texts, in [0, 1], after NFKC normalisation and trimming. */
    static final class TextSimilarity {
        private static final LevenshteinDistance EDITS = LevenshteinDistance.getDefaultInstance();

        private TextSimilarity() {}

        /** Returns the share of equal parts for two dates or times, else 1 - edits / length of the longer text. */
        static double of(String predicted, String gold) {
            String a = normal(predicted);
            String b = normal(gold);
            if (a.equals(b)) {
                return 1;
            }
            DateText first = DateText.parse(a);
            DateText second = first == null ? null : DateText.parse(b);
            if (first != null && second != null && first.comparable(second)) {
                return first.agreement(second);
            }
            return 1 - (double) EDITS.apply(a, b) / Math.max(a.length(), b.length());
        }

        static boolean equal(String a, String b) {
            return normal(a).equals(normal(b));
        }

        static boolean isBlank(@Nullable String text) {
            return text == null || normal(text).isEmpty();
        }

        private static String normal(String text) {
            return Normalizer.normalize(text, Normalizer.Form.NFKC).strip();
        }

        /**
         * A date, a time, or both, in the notations of calls: {@code 2026-03-05 08:30}, {@code 2026/3/5}, {@code 2026年3月5日8点30分}, {@code 3月5日},
         * {@code 08:30:00}.
         *
         * @param parts year, month, day, hour, minute, second; {@link #ABSENT} if missing
         */
        private record DateText(int[] parts) {
            private static final int ABSENT = -1;
            private static final int HOUR = 3;
            private static final Pattern TEXT = Pattern.compile(
                    "(?:(?:(?<y>\\d{4})(?:(?<s>[-/.])(?<m>\\d{1,2})\\k<s>(?<d>\\d{1,2})"
                            + "|年(?<cm>\\d{1,2})月(?<cd>\\d{1,2})[日号]))|(?<pm>\\d{1,2})月(?<pd>\\d{1,2})[日号])?"
                            + "(?:^|[T\\s]+|(?<=[日号])|$)"
                            + "(?:(?<h>\\d{1,2})(?:[:](?<min>\\d{2})(?::(?<sec>\\d{2}))?|[点时](?:(?<cmin>\\d{1,2})分?)?))?");
            private static final String[][] GROUPS = {
                {"y"}, {"m", "cm", "pm"}, {"d", "cd", "pd"}, {"h"}, {"min", "cmin"}, {"sec"}
            };
            private static final int[] MIN = {0, 1, 1, 0, 0, 0};
            private static final int[] MAX = {9999, 12, 31, 24, 59, 60};

            /** Parses a date or time; null if the text is neither. */
            static @Nullable DateText parse(String text) {
                if (text.isEmpty() || text.length() > 32 || !Character.isDigit(text.charAt(0))) {
                    return null;
                }
                Matcher match = TEXT.matcher(text);
                if (!match.matches()) {
                    return null;
                }
                int[] parts = new int[GROUPS.length];
                for (int i = 0; i < parts.length; i++) {
                    int absent = i > HOUR && parts[HOUR] != ABSENT ? 0 : ABSENT; // "8点" is 8:00:00
                    parts[i] = Arrays.stream(GROUPS[i])
                            .map(match::group)
                            .filter(Objects::nonNull)
                            .mapToInt(Integer::parseInt)
                            .findFirst()
                            .orElse(absent);
                    if (parts[i] != ABSENT && (parts[i] < MIN[i] || parts[i] > MAX[i])) {
                        return null;
                    }
                }
                return new DateText(parts);
            }

            boolean comparable(DateText other) {
                return Arrays.equals(present(), other.present());
            }

            /** Returns the share of equal parts among those present. */
            double agreement(DateText other) {
                return Arrays.stream(present())
                        .mapToDouble(i -> parts[i] == other.parts[i] ? 1 : 0)
                        .average()
                        .orElseThrow();
            }

            private int[] present() {
                return IntStream.range(0, parts.length)
                        .filter(i -> parts[i] != ABSENT)
                        .toArray();
            }
        }
    }
}
