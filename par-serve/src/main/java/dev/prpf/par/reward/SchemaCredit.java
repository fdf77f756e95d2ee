package dev.prpf.par.reward;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.json.EmbeddedJson;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseGrammar;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Computes the schema credit R_schema of a response that violates the grammar (PRPF A.4). It gives a quarter each for the tags' order,
 * valid JSON, present fields and the structure of calls, at most three quarters.
 */
final class SchemaCredit {
    private static final int PARTS = 4;

    /** The tags of a response, in order. */
    private static final Pattern ORDER = Pattern.compile("(" + block(ResponseGrammar.UI_SUMMARY, "") + ")?("
            + block(ResponseGrammar.THINKING, "(" + block(ResponseGrammar.FUNCTION_SELECTION, "") + ")?") + ")?"
            + block(ResponseGrammar.RECOMMENDATIONS, ""));

    private static final Pattern SINGLE_STAGE_ORDER = Pattern.compile("(" + block(ResponseGrammar.THINK, "") + ")?("
            + block(ResponseGrammar.REC, "") + ")?" + block(ResponseGrammar.FUNCTION, ""));

    private SchemaCredit() {}

    /**
     * Returns the credit, in [0, 3/4].
     *
     * @param form required of the response; only this form's tags and blocks count
     */
    static double ofMalformed(String text, ResponseForm form) {
        boolean singleStage = ResponseGrammar.isSingleStage(text, form);
        Pattern tag = singleStage ? ResponseGrammar.SINGLE_STAGE_TAG : ResponseGrammar.TAG;
        int met = (singleStage ? SINGLE_STAGE_ORDER : ORDER)
                        .matcher(tagsOf(tag, text))
                        .matches()
                ? 1
                : 0;
        JsonNode json = json(text, singleStage ? ResponseGrammar.FUNCTION : ResponseGrammar.RECOMMENDATIONS);
        if (json != null && singleStage) {
            JsonNode calls = json.path(ResponseGrammar.MODEL_RECOMMENDATION);
            met += 1 + (calls.isArray() ? 1 : 0) + (calls.isArray() && all(calls, SchemaCredit::isCall) ? 1 : 0);
        } else if (json != null) {
            met += 1 + (hasFields(json) ? 1 : 0) + (hasCalls(json) ? 1 : 0);
        }
        return (double) Math.min(met, PARTS - 1) / PARTS;
    }

    private static String block(String name, String inside) {
        return ResponseGrammar.open(name) + inside + ResponseGrammar.close(name);
    }

    private static String tagsOf(Pattern tag, String text) {
        return tag.matcher(text).results().map(MatchResult::group).collect(Collectors.joining());
    }

    /** Returns a block's content if it is JSON; the closing tag may be missing. */
    private static @Nullable JsonNode json(String text, String block) {
        String open = ResponseGrammar.open(block);
        int begin = text.indexOf(open);
        if (begin < 0) {
            return null;
        }
        int end = text.lastIndexOf(ResponseGrammar.close(block));
        return EmbeddedJson.read(text.substring(begin + open.length(), end < begin ? text.length() : end));
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
