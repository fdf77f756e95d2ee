package dev.prpf.par.cascade;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.io.FunctionCallJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Predictions as JSON Lines: {@code {"id", "route", "p_trigger", "scenarios", "response", "calls"}}; {@code calls} holds one list a
 * recommendation, {@code []} is silence, {@code null} a malformed response.
 */
public final class PredictionLines {
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final Set<String> KEYS =
            new LinkedHashSet<>(List.of("id", "route", "p_trigger", "scenarios", "response", "calls"));

    private PredictionLines() {}

    /** One line, without its end. */
    static String line(Prediction prediction) {
        ObjectNode json = JSON.createObjectNode()
                .put("id", prediction.id())
                .put("route", prediction.route().name().toLowerCase(Locale.ROOT))
                .put("p_trigger", prediction.pTrigger());
        ObjectNode scenarios = json.putObject("scenarios");
        prediction.scenarios().forEach(scenarios::put);
        json.put("response", prediction.response());
        if (prediction.calls() == null) {
            json.putNull("calls");
        } else {
            ArrayNode calls = json.putArray("calls");
            prediction.calls().forEach(sequence -> calls.add(FunctionCallJson.write(sequence)));
        }
        return json.toString();
    }

    /**
     * Reads a whole file.
     *
     * @throws PrpfException 65, naming file and line, for a line that is no prediction or an id that stands twice
     */
    public static List<Prediction> read(Path file) {
        return parse(file, lines(file));
    }

    private static List<Prediction> parse(Path file, List<String> lines) {
        List<Prediction> predictions = new ArrayList<>();
        Map<String, Integer> lineOfId = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).isBlank()) {
                continue;
            }
            String place = file + ":" + (i + 1);
            Prediction prediction = parse(place, lines.get(i));
            Integer before = lineOfId.put(prediction.id(), i + 1);
            if (before != null) {
                throw new InvalidDataException(place + ": id " + prediction.id() + " stands in line " + before
                        + " already; a sample has one prediction");
            }
            predictions.add(prediction);
        }
        return predictions;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read as predictions: " + e, e);
        }
    }

    static Prediction parse(String place, String line) {
        try {
            return prediction(JSON.readTree(line));
        } catch (IOException | IllegalArgumentException e) {
            String why = e instanceof com.fasterxml.jackson.core.JsonProcessingException json
                    ? json.getOriginalMessage()
                    : e.getMessage();
            throw new InvalidDataException(place + ": is no prediction: " + why, e);
        } catch (PrpfException e) {
            throw new InvalidDataException(place + ": " + e.getMessage());
        }
    }

    private static Prediction prediction(JsonNode json) {
        json.fieldNames()
                .forEachRemaining(key -> require(KEYS.contains(key), "unknown key \"" + key + "\"; known are " + KEYS));
        String id = json.path("id").asText();
        require(json.path("id").isTextual() && !id.isBlank(), "\"id\" must be a string that is not blank");
        JsonNode probability = json.path("p_trigger");
        require(probability.isNumber() || isAbsent(probability), "\"p_trigger\" must be a number or null");
        double p = probability.asDouble(0);
        require(p >= 0 && p <= 1, "\"p_trigger\" = " + probability + ", must lie in [0, 1]");
        JsonNode response = json.path("response");
        require(response.isTextual() || isAbsent(response), "\"response\" must be a string or null");
        Prediction.Route route = route(json.path("route"));
        List<List<FunctionCall>> calls = calls(json.get("calls"));
        require(
                route != Prediction.Route.SILENT || (calls != null && calls.isEmpty()),
                "\"calls\" must be [] where \"route\" is \"silent\"");
        return new Prediction(
                id,
                route,
                probability.isNumber() ? probability.doubleValue() : null,
                scenarios(json.path("scenarios")),
                response.isTextual() ? response.textValue() : null,
                calls);
    }

    private static Prediction.Route route(JsonNode route) {
        for (Prediction.Route known : Prediction.Route.values()) {
            if (known.name().toLowerCase(Locale.ROOT).equals(route.asText())) {
                return known;
            }
        }
        throw new IllegalArgumentException("\"route\" = " + route + ", must be \"silent\" or \"reasoned\"");
    }

    private static Map<String, Double> scenarios(JsonNode json) {
        require(json.isObject() || isAbsent(json), "\"scenarios\" must be an object");
        Map<String, Double> scenarios = new LinkedHashMap<>();
        json.properties().forEach(field -> {
            require(field.getValue().isNumber(), "scenario \"" + field.getKey() + "\" must have a number");
            scenarios.put(field.getKey(), field.getValue().doubleValue());
        });
        return scenarios;
    }

    private static @Nullable List<List<FunctionCall>> calls(@Nullable JsonNode json) {
        require(json != null, "\"calls\" is missing; a malformed response has null there");
        if (json == null || json.isNull()) {
            return null;
        }
        return FunctionCallJson.readSequences(json);
    }

    private static boolean isAbsent(JsonNode node) {
        return node.isMissingNode() || node.isNull();
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(rule);
        }
    }
}
