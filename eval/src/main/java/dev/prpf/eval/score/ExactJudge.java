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
 * Equivalence without a language model: the same functions in the same order, each with equal parameters. The paper's judge
 * (Gemini-2.5-Pro) also accepts paraphrases, so metrics of this judge are lower bounds and do not stand beside the paper's SR.
 *
 * <p>Taken as equal: a parameter given as null or as a blank string and one not given (the benchmark's records name every parameter and
 * leave optional ones empty); numbers of equal value (3 and 3.0); strings that differ in Unicode compatibility form (full-width and
 * half-width, NFKC) or in white space at their ends; dicts in any key order, their empty fields as absent.
 *
 * <p>Taken as different: letter case, white space inside a string, other punctuation, the string "3" and the number 3, "true" and true,
 * lists in another order, an empty list and an absent parameter, and every paraphrase.
 */
final class ExactJudge implements Judge {
    @Override
    public String id() {
        return "exact";
    }

    /** Never abstains. */
    @Override
    public List<Verdict> judge(List<Case> cases) {
        return cases.stream().map(ExactJudge::judge).toList();
    }

    private static Verdict judge(Case one) {
        boolean equal = normalised(one.predicted()).equals(normalised(one.answer()));
        return new Verdict(equal, equal ? "equal calls" : "other calls or parameters", false);
    }

    /** A call in a form where this judge's equality is Java's; empty parameters are left out. */
    record NormalForm(String name, Map<String, Object> parameters) {}

    static List<NormalForm> normalised(List<FunctionCall> calls) {
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
