package dev.prpf.par.response;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.json.EmbeddedJson;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.par.response.ResponseParser.GrammarFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON of a response: the array of recommendations, or the single-stage object of calls. It reads by tokens, so that every error
 * has its offset. Strict: no duplicate, missing or unknown key, no wrong type. A recommendation needs calls, under {@code function} or {@code
 * functions}.
 */
final class RecommendationsReader {
    private static final ObjectMapper JSON = new ObjectMapper(EmbeddedJson.factory());

    private final String text;
    private final int begin;
    private int end;

    RecommendationsReader(String text, int begin) {
        this.text = text;
        this.begin = begin;
    }

    /** Returns the offset after the JSON. */
    int end() {
        return end;
    }

    /** Reads content of JSON that begins at an offset of the response. */
    private interface Content<T> {
        T read(JsonParser json, int base) throws IOException, GrammarFault;
    }

    List<Recommendation> read() throws GrammarFault {
        return read('[', "a JSON array must follow <recommendations>", (json, base) -> {
            List<Recommendation> recommendations = new ArrayList<>();
            while (json.nextToken() != JsonToken.END_ARRAY) {
                recommendations.add(recommendation(json, base));
            }
            return recommendations;
        });
    }

    /** Reads {@code {"model_recommendation": [call, …]}}; no calls mean silence. */
    List<FunctionCall> readCalls() throws GrammarFault {
        return read('{', "a JSON object must follow <function>", (json, base) -> {
            List<FunctionCall> calls = null;
            while (json.nextToken() != JsonToken.END_OBJECT) {
                String key = json.currentName();
                if (!key.equals(ResponseGrammar.MODEL_RECOMMENDATION)) {
                    throw new GrammarFault(
                            offset(json, base),
                            "key \"" + key + "\" has no place in <function>; it has \"model_recommendation\"");
                }
                json.nextToken();
                calls = calls(json, base, key);
            }
            return present(calls, base, "<function> needs \"model_recommendation\"");
        });
    }

    private <T> T read(char opening, String rule, Content<T> content) throws GrammarFault {
        int first = begin;
        while (first < text.length() && Character.isWhitespace(text.charAt(first))) {
            first++;
        }
        if (first >= text.length() || text.charAt(first) != opening) {
            throw new GrammarFault(first, rule);
        }
        try (JsonParser json = JSON.createParser(text.substring(first))) {
            json.nextToken();
            T read = content.read(json, first);
            end = first + (int) json.currentLocation().getCharOffset();
            return read;
        } catch (JsonProcessingException e) {
            long offset =
                    e.getLocation() == null ? 0 : Math.max(0, e.getLocation().getCharOffset());
            throw new GrammarFault(
                    (int) Math.min(text.length(), first + offset), "broken JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Recommendation recommendation(JsonParser json, int base) throws IOException, GrammarFault {
        int start = require(json, JsonToken.START_OBJECT, base, "a recommendation must be an object");
        String instruction = null;
        List<FunctionCall> calls = null;
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String key = json.currentName();
            int keyAt = offset(json, base);
            json.nextToken();
            if (key.equals("instruction")) {
                require(json, JsonToken.VALUE_STRING, base, "\"instruction\" must be a string");
                instruction = json.getText();
            } else if ((key.equals("function") || key.equals("functions")) && calls == null) {
                int callsAt = offset(json, base);
                calls = calls(json, base, "function");
                if (calls.isEmpty()) {
                    throw new GrammarFault(
                            callsAt, "\"function\" is empty; silence is <recommendations>[]</recommendations>");
                }
            } else {
                throw new GrammarFault(
                        keyAt,
                        "key \"" + key
                                + "\" has no place in a recommendation; it has \"instruction\" and one \"function\"");
            }
        }
        return new Recommendation(
                present(instruction, start, "a recommendation needs \"instruction\""),
                present(calls, start, "a recommendation needs \"function\""));
    }

    private static List<FunctionCall> calls(JsonParser json, int base, String key) throws IOException, GrammarFault {
        require(json, JsonToken.START_ARRAY, base, "\"" + key + "\" must be an array of calls");
        List<FunctionCall> calls = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            calls.add(call(json, base));
        }
        return calls;
    }

    private static FunctionCall call(JsonParser json, int base) throws IOException, GrammarFault {
        int start = require(json, JsonToken.START_OBJECT, base, "a call must be an object");
        String name = null;
        Map<String, JsonNode> parameters = null;
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String key = json.currentName();
            int keyAt = offset(json, base);
            json.nextToken();
            if (key.equals("name")) {
                require(json, JsonToken.VALUE_STRING, base, "\"name\" must be a string");
                name = json.getText();
            } else if (key.equals("parameters")) {
                require(json, JsonToken.START_OBJECT, base, "\"parameters\" must be an object");
                parameters = json.readValueAs(new TypeReference<LinkedHashMap<String, JsonNode>>() {});
            } else {
                throw new GrammarFault(
                        keyAt, "key \"" + key + "\" has no place in a call; it has \"name\" and \"parameters\"");
            }
        }
        if (name != null && name.isBlank()) {
            throw new GrammarFault(start, "\"name\" is blank");
        }
        return new FunctionCall(
                present(name, start, "a call needs \"name\""),
                present(parameters, start, "a call needs \"parameters\""));
    }

    private static int require(JsonParser json, JsonToken token, int base, String rule) throws GrammarFault {
        if (json.currentToken() != token) {
            throw new GrammarFault(offset(json, base), rule);
        }
        return offset(json, base);
    }

    private static int offset(JsonParser json, int base) {
        return base + (int) json.currentTokenLocation().getCharOffset();
    }

    private static <T> T present(@Nullable T value, int where, String rule) throws GrammarFault {
        if (value == null) {
            throw new GrammarFault(where, rule);
        }
        return value;
    }
}
