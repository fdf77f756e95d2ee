package dev.prpf.par.response;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
 * Reads the JSON array of recommendations, token by token so that every fault has its offset. Strict: no duplicate, missing or unknown key,
 * no wrong type, no empty call list; the key of the calls is {@code function} or {@code functions}.
 */
final class RecommendationsReader {
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build());

    private final String text;
    private final int begin;
    private int end;

    RecommendationsReader(String text, int begin) {
        this.text = text;
        this.begin = begin;
    }

    /** Offset after the array. */
    int end() {
        return end;
    }

    List<Recommendation> read() throws GrammarFault {
        int first = begin;
        while (first < text.length() && Character.isWhitespace(text.charAt(first))) {
            first++;
        }
        if (first >= text.length() || text.charAt(first) != '[') {
            throw new GrammarFault(first, "a JSON array must follow <recommendations>");
        }
        try (JsonParser json = JSON.createParser(text.substring(first))) {
            json.nextToken();
            List<Recommendation> recommendations = new ArrayList<>();
            while (json.nextToken() != JsonToken.END_ARRAY) {
                recommendations.add(recommendation(json, first));
            }
            end = first + (int) json.currentLocation().getCharOffset();
            return recommendations;
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
                calls = calls(json, base);
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

    private static List<FunctionCall> calls(JsonParser json, int base) throws IOException, GrammarFault {
        int start = require(json, JsonToken.START_ARRAY, base, "\"function\" must be an array of calls");
        List<FunctionCall> calls = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            calls.add(call(json, base));
        }
        if (calls.isEmpty()) {
            throw new GrammarFault(start, "\"function\" is empty; silence is <recommendations>[]</recommendations>");
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
