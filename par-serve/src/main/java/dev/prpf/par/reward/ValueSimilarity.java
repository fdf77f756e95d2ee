package dev.prpf.par.reward;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleBiFunction;
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
}
