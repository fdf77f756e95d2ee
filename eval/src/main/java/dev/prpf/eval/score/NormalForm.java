package dev.prpf.eval.score;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Call sequences in a form where {@link ExactJudge}'s equality is Java's. */
final class NormalForm {
    private NormalForm() {}

    /** A call in normal form. */
    record Call(String name, Map<String, Object> parameters) {}

    static List<Call> of(List<FunctionCall> calls) {
        return calls.stream()
                .map(call -> new Call(
                        call.name(), fields(call.parameters().entrySet().iterator())))
                .toList();
    }

    private static Map<String, Object> fields(Iterator<Map.Entry<String, JsonNode>> entries) {
        Map<String, Object> fields = new HashMap<>();
        while (entries.hasNext()) {
            Map.Entry<String, JsonNode> entry = entries.next();
            if (!isEmpty(entry.getValue())) {
                fields.put(entry.getKey(), value(entry.getValue()));
            }
        }
        return fields;
    }

    private static boolean isEmpty(JsonNode node) {
        return node.isNull()
                || node.isMissingNode()
                || (node.isTextual() && text(node).isEmpty());
    }

    private static Object value(JsonNode node) {
        if (node.isTextual()) {
            return text(node);
        }
        if (node.isNumber()) {
            return number(node);
        }
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        if (node.isObject()) {
            return fields(node.properties().iterator());
        }
        if (node.isArray()) {
            List<Object> elements = new ArrayList<>();
            node.forEach(element -> elements.add(value(element)));
            return elements;
        }
        return node; // null inside a list
    }

    /** Equal values, equal objects: 3 and 3.0 are one BigDecimal. */
    private static Object number(JsonNode node) {
        double asDouble = node.doubleValue();
        boolean overflown = node.isFloat() || node.isDouble();
        return overflown && !Double.isFinite(asDouble)
                ? (Object) asDouble
                : node.decimalValue().stripTrailingZeros();
    }

    private static String text(JsonNode node) {
        return Normalizer.normalize(node.textValue(), Normalizer.Form.NFKC).strip();
    }
}
