package dev.prpf.par.reward;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.prpf.par.response.ResponseGrammar;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * R_schema of a response that breaks the grammar (PRPF A.4): a quarter each for the tags' order, valid JSON, the presence of the fields and
 * the structure of the calls, at most three quarters.
 */
final class SchemaCredit {
    private static final int PARTS = 4;
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    /** A response's tags, in order. */
    private static final Pattern ORDER = Pattern.compile("(" + block(ResponseGrammar.UI_SUMMARY, "") + ")?("
            + block(ResponseGrammar.THINKING, "(" + block(ResponseGrammar.FUNCTION_SELECTION, "") + ")?") + ")?"
            + block(ResponseGrammar.RECOMMENDATIONS, ""));

    private SchemaCredit() {}

    /** The share, in [0, 3/4]. */
    static double ofMalformed(String text) {
        JsonNode array = array(text);
        int kept = ORDER.matcher(tagsOf(text)).matches() ? 1 : 0;
        if (array != null) {
            kept += 1 + (hasFields(array) ? 1 : 0) + (hasCalls(array) ? 1 : 0);
        }
        return (double) Math.min(kept, PARTS - 1) / PARTS;
    }

    private static String block(String name, String inside) {
        return ResponseGrammar.open(name) + inside + ResponseGrammar.close(name);
    }

    private static String tagsOf(String text) {
        return ResponseGrammar.TAG
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .collect(Collectors.joining());
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
        return array.isArray() && all(array, SchemaCredit::isRecommendation);
    }

    private static boolean isRecommendation(JsonNode entry) {
        return entry.path("instruction").isTextual()
                && calls(entry).isArray()
                && !calls(entry).isEmpty();
    }

    private static boolean hasCalls(JsonNode array) {
        return array.isArray() && all(array, entry -> all(calls(entry), SchemaCredit::isCall));
    }

    private static boolean isCall(JsonNode call) {
        return call.path("name").isTextual()
                && !call.path("name").textValue().isBlank()
                && call.path("parameters").isObject();
    }

    private static JsonNode calls(JsonNode entry) {
        return entry.has("function") ? entry.path("function") : entry.path("functions");
    }

    private static boolean all(JsonNode array, Predicate<JsonNode> rule) {
        return StreamSupport.stream(array.spliterator(), false).allMatch(rule);
    }
}
