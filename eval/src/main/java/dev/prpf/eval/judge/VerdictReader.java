package dev.prpf.eval.judge;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * Reads a verdict from a model's text: one JSON object {@code {"reason", "equivalent"}}. Reasoning, a code fence or other text may surround it.
 * Other text is no verdict: no answer is guessed from prose.
 */
final class VerdictReader {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final String THOUGHTS = "<think>";
    private static final String END_OF_THOUGHTS = "</think>";
    private static final int MOST_SHOWN = 81;

    private VerdictReader() {}

    /** The result of reading a text. */
    sealed interface Reading {
        /** The verdict; an abstention if the model cannot decide. */
        record Read(Judge.Verdict verdict) implements Reading {}

        /** No verdict, with the reason. */
        record Junk(String why) implements Reading {}
    }

    /**
     * Reads the verdict in a text.
     *
     * @param cut whether the token limit ended the text; text after its object may then be an unfinished second answer
     */
    static Reading read(String text, boolean cut) {
        String own = text.contains(END_OF_THOUGHTS) ? StringUtils.substringAfterLast(text, END_OF_THOUGHTS) : text;
        if (own.contains(THOUGHTS)) {
            return junk("its thoughts do not end", text);
        }
        int open = own.indexOf('{');
        int close = own.lastIndexOf('}');
        if (open < 0 || close < open) {
            return junk("it holds no JSON object", text);
        }
        if (cut && !own.substring(close + 1).isBlank()) {
            return junk("it goes on behind its JSON object", text);
        }
        JsonNode json;
        try {
            json = JSON.readTree(own.substring(open, close + 1));
        } catch (JsonProcessingException e) {
            return junk("it is not JSON", text);
        }
        JsonNode equivalent = json.get("equivalent");
        String reason = StringUtils.normalizeSpace(json.path("reason").asText(""));
        if (!json.path("reason").isTextual() || reason.isEmpty()) {
            return junk("its \"reason\" is no text", text);
        }
        if (equivalent == null || !(equivalent.isBoolean() || equivalent.isNull())) {
            return junk("its \"equivalent\" is not true, false or null", text);
        }
        @Nullable Boolean decision = equivalent.isNull() ? null : (Boolean) equivalent.booleanValue();
        return new Reading.Read(new Judge.Verdict(decision, reason));
    }

    private static Reading junk(String why, String text) {
        return new Reading.Junk(
                why + ": \"" + StringUtils.abbreviate(StringUtils.normalizeSpace(text), "…", MOST_SHOWN) + '"');
    }
}
