package dev.prpf.par.cascade;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.io.Defect;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.data.io.JsonText;
import dev.prpf.data.run.PrpfException;
import dev.prpf.par.cascade.Prediction.Route;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Prediction lines, {@code predictions.jsonl}: one JSON object a line, {@code {"id", "route": "silent"|"reasoned", "p_trigger",
 * "scenarios": {name: p}, "response": raw text|null, "calls": [[{"name", "parameters"}]…]|null}}.
 *
 * <p>{@code id} and {@code calls} must stand in every line: {@code calls} is one list a recommendation, {@code []} is silence, null is a
 * malformed response. A line of a system without a gate may leave {@code route} ("reasoned"), {@code p_trigger}, {@code scenarios} and
 * {@code response} out. Further keys are ignored, nothing is coerced, blank lines are passed over.
 */
public final class PredictionLines {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final Set<String> ROUTES = Set.of("silent", "reasoned");

    private PredictionLines() {}

    /**
     * Reads a file.
     *
     * @throws PrpfException with BAD_DATA naming file, line and rule on anything that is no prediction line, and on an id that stands
     *     twice
     */
    public static List<Prediction> read(Path file) {
        List<Prediction> predictions = new ArrayList<>();
        Map<String, Integer> lineOf = new HashMap<>();
        List<String> lines = lines(file);
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).isBlank()) {
                continue;
            }
            String place = file + ", line " + (i + 1);
            Prediction prediction = parse(place, lines.get(i));
            Integer earlier = lineOf.put(prediction.id(), i + 1);
            if (earlier != null) {
                throw PrpfException.badData(place + ": id \"" + prediction.id() + "\" stands in line " + earlier
                        + " already; one line a sample");
            }
            predictions.add(prediction);
        }
        return predictions;
    }

    /**
     * Reads one line.
     *
     * @param place file and line, for messages
     * @throws PrpfException with BAD_DATA if it is no prediction line
     */
    public static Prediction parse(String place, String line) {
        JsonNode json = tree(place, line);
        return new Prediction(
                text(place, json, "id"),
                route(place, json),
                probability(place, json, "p_trigger"),
                scenarios(place, json),
                response(place, json),
                calls(place, json));
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw PrpfException.badData(file + ": no such file; predictions are written by `prpf eval run`");
        } catch (CharacterCodingException e) {
            throw PrpfException.badData(file + ": is not UTF-8 text; a prediction file is JSON Lines");
        } catch (IOException e) {
            throw PrpfException.badData(file + ": cannot be read: " + e.getMessage());
        }
    }

    private static JsonNode tree(String place, String line) {
        try {
            JsonNode json = JSON.readTree(line);
            if (!json.isObject()) {
                throw refused(place, "", json, "a prediction line is one JSON object");
            }
            return json;
        } catch (JsonProcessingException e) {
            throw PrpfException.badData(place + ": is not one JSON object: " + e.getOriginalMessage());
        }
    }

    private static String text(String place, JsonNode json, String key) {
        JsonNode value = json.path(key);
        if (!value.isTextual() || value.textValue().isBlank()) {
            throw refused(place, key, value, "must be a string that is not blank");
        }
        return value.textValue();
    }

    private static Route route(String place, JsonNode json) {
        JsonNode value = json.path("route");
        if (value.isMissingNode()) {
            return Route.REASONED;
        }
        if (!ROUTES.contains(value.asText()) || !value.isTextual()) {
            throw refused(place, "route", value, "must be \"silent\" or \"reasoned\"");
        }
        return value.textValue().equals("silent") ? Route.SILENT : Route.REASONED;
    }

    private static @Nullable Double probability(String place, JsonNode parent, String key) {
        JsonNode value = parent.path(key);
        if (value.isMissingNode() || value.isNull()) {
            return null;
        }
        if (!value.isNumber() || !(value.doubleValue() >= 0 && value.doubleValue() <= 1)) {
            throw refused(place, key, value, "must be a number from 0 to 1, or null");
        }
        return value.doubleValue();
    }

    private static Map<String, Double> scenarios(String place, JsonNode json) {
        JsonNode value = json.path("scenarios");
        Map<String, Double> scenarios = new LinkedHashMap<>();
        if (value.isMissingNode() || value.isNull()) {
            return scenarios;
        }
        if (!value.isObject()) {
            throw refused(place, "scenarios", value, "must be an object of probabilities by scenario name");
        }
        value.fieldNames().forEachRemaining(name -> {
            Double probability = probability(place, value, name);
            if (probability != null) {
                scenarios.put(name, probability);
            }
        });
        return scenarios;
    }

    private static @Nullable String response(String place, JsonNode json) {
        JsonNode value = json.path("response");
        if (value.isMissingNode() || value.isNull()) {
            return null;
        }
        if (!value.isTextual()) {
            throw refused(place, "response", value, "must be the raw text, or null");
        }
        return value.textValue();
    }

    private static @Nullable List<List<FunctionCall>> calls(String place, JsonNode json) {
        JsonNode value = json.path("calls");
        if (value.isNull()) {
            return null;
        }
        if (!value.isArray()) {
            throw refused(place, "calls", value, "must be a list of call lists ([] is silence), or null (malformed)");
        }
        for (JsonNode recommendation : value) {
            if (!recommendation.isArray()) {
                throw refused(place, "calls", recommendation, "each recommendation must be a list of calls");
            }
        }
        List<Defect> defects = new ArrayList<>();
        List<List<FunctionCall>> calls = FunctionCallJson.readAnswers(value, "/calls", defects::add).stream()
                .map(FunctionCallJson.LocatedAnswer::recommendation)
                .map(Recommendation::calls)
                .toList();
        defects.stream().filter(Defect::isFatal).findFirst().ifPresent(defect -> {
            throw PrpfException.badData(place + ": " + defect.describe());
        });
        return calls;
    }

    private static PrpfException refused(String place, String key, JsonNode value, String rule) {
        String seen = value.isMissingNode() ? "missing" : JsonText.abbreviate(value);
        return PrpfException.badData(place + ": " + (key.isEmpty() ? "" : "/" + key + " = ") + seen + ", " + rule);
    }
}
