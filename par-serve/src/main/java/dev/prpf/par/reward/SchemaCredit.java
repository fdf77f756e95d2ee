package dev.prpf.par.reward;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.par.response.ResponseGrammar;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * R_schema of a response that breaks the grammar (PRPF A.4): a quarter each for the tags' order, valid JSON, the presence of the fields and
 * the structure of the calls, at most three quarters.
 */
final class SchemaCredit {
    private static final int PARTS = 4;
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final Pattern TAG = Pattern.compile(
            String.join("|", ResponseGrammar.tags().stream().map(Pattern::quote).toList()));
    private static final List<List<String>> ORDERS = orders();

    private SchemaCredit() {}

    /** The share, in [0, 3/4]. */
    static double ofMalformed(String text) {
        JsonNode array = array(text);
        int kept = ORDERS.contains(tagsOf(text)) ? 1 : 0;
        if (array != null) {
            kept += 1 + (hasFields(array) ? 1 : 0) + (hasCalls(array) ? 1 : 0);
        }
        return (double) Math.min(kept, PARTS - 1) / PARTS;
    }

    /** What a response's tags may be, in order. */
    private static List<List<String>> orders() {
        List<String> summary = block(ResponseGrammar.UI_SUMMARY, List.of());
        List<String> selection = block(ResponseGrammar.FUNCTION_SELECTION, List.of());
        List<List<String>> orders = new ArrayList<>();
        for (List<String> first : List.of(List.<String>of(), summary)) {
            for (List<String> thinking : List.of(
                    List.<String>of(),
                    block(ResponseGrammar.THINKING, List.of()),
                    block(ResponseGrammar.THINKING, selection))) {
                List<String> order = new ArrayList<>(first);
                order.addAll(thinking);
                order.addAll(block(ResponseGrammar.RECOMMENDATIONS, List.of()));
                orders.add(order);
            }
        }
        return orders;
    }

    private static List<String> block(String name, List<String> inside) {
        List<String> tags = new ArrayList<>();
        tags.add(ResponseGrammar.open(name));
        tags.addAll(inside);
        tags.add(ResponseGrammar.close(name));
        return tags;
    }

    private static List<String> tagsOf(String text) {
        return TAG.matcher(text)
                .results()
                .map(java.util.regex.MatchResult::group)
                .toList();
    }

    /** What stands in the recommendations' block if it is JSON; the block may lack its end. */
    private static @Nullable JsonNode array(String text) {
        String open = ResponseGrammar.open(ResponseGrammar.RECOMMENDATIONS);
        int begin = text.indexOf(open);
        if (begin < 0) {
            return null;
        }
        int end = text.lastIndexOf(ResponseGrammar.close(ResponseGrammar.RECOMMENDATIONS));
        try {
            JsonNode json = JSON.readTree(text.substring(begin + open.length(), end < begin ? text.length() : end));
            return json.isMissingNode() ? null : json;
        } catch (JsonProcessingException e) {
            return null;
        }
    }

    private static boolean hasFields(JsonNode array) {
        return array.isArray()
                && all(
                        array,
                        entry -> entry.path("instruction").isTextual()
                                && calls(entry).isArray()
                                && !calls(entry).isEmpty());
    }

    private static boolean hasCalls(JsonNode array) {
        return array.isArray()
                && all(
                        array,
                        entry -> all(
                                calls(entry),
                                call -> call.path("name").isTextual()
                                        && !call.path("name").textValue().isBlank()
                                        && call.path("parameters").isObject()));
    }

    private static JsonNode calls(JsonNode entry) {
        return entry.has("function") ? entry.path("function") : entry.path("functions");
    }

    private static boolean all(JsonNode array, Predicate<JsonNode> rule) {
        for (JsonNode element : array) {
            if (!rule.test(element)) {
                return false;
            }
        }
        return true;
    }
}
