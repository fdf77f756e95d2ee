package dev.prpf.eval.score;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A call in a form where {@link ExactJudge}'s equality is Java's.
 *
 * @param name the function's
 * @param parameters name to value, without empty ones
 */
record NormalForm(String name, Map<String, Object> parameters) {
    static List<NormalForm> of(List<FunctionCall> calls) {
        return calls.stream()
                .map(call ->
                        new NormalForm(call.name(), fields(call.parameters().entrySet())))
                .toList();
    }

    private static Map<String, Object> fields(Set<Map.Entry<String, JsonNode>> entries) {
        Map<String, Object> fields = new HashMap<>();
        entries.forEach(entry -> {
            JsonNode node = entry.getValue();
            if (!node.isNull()
                    && !node.isMissingNode()
                    && !(node.isTextual() && text(node).isEmpty())) {
                fields.put(entry.getKey(), value(node));
            }
        });
        return fields;
    }

    private static Object value(JsonNode node) {
        return switch (node.getNodeType()) {
            case STRING -> text(node);
            case NUMBER -> number(node);
            case BOOLEAN -> node.booleanValue();
            case OBJECT -> fields(node.properties());
            case ARRAY -> {
                List<Object> elements = new ArrayList<>();
                node.forEach(element -> elements.add(value(element)));
                yield elements;
            }
            default -> node; // null inside a list
        };
    }

    /** Equal values, equal objects: 3 and 3.0 are one BigDecimal. A number beyond a double has no decimal value. */
    private static Object number(JsonNode node) {
        boolean overflown = (node.isFloat() || node.isDouble()) && !Double.isFinite(node.doubleValue());
        return overflown ? (Object) node.doubleValue() : node.decimalValue().stripTrailingZeros();
    }

    private static String text(JsonNode node) {
        return Normalizer.normalize(node.textValue(), Normalizer.Form.NFKC).strip();
    }
}
