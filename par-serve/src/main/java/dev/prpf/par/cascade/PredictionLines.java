package dev.prpf.par.cascade;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.KeyedLines;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.io.FunctionCallJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Predictions as JSON Lines: {@code {"id", "route", "p_trigger", "scenarios", "response", "calls"}}; {@code calls} holds one list a
 * recommendation, {@code []} is silence, {@code null} a malformed response. The keys between {@code route} and {@code calls} may be missing.
 */
public final class PredictionLines {
    private static final String[] OPTIONAL = {"p_trigger", "scenarios", "response"};
    private static final String RULE = "a sample has one prediction";

    private PredictionLines() {}

    /** A line as it stands; its calls are read by {@link FunctionCallJson}. */
    private record Line(
            String id,
            Prediction.Route route,
            @Nullable Double pTrigger,
            @Nullable Map<String, Double> scenarios,
            @Nullable String response,
            JsonNode calls) {}

    /**
     * Opens a file, which may exist, to append predictions to.
     *
     * @throws PrpfException 65 if a line that is whole is no prediction or has an id again, 69 if the file cannot be written
     */
    public static KeyedLines open(Path file) {
        return new KeyedLines(file, RULE, (place, line) -> parse(place, line).id());
    }

    /** Appends a prediction to an open file. */
    public static void append(KeyedLines file, Prediction prediction) {
        file.append(prediction.id(), JsonRecords.write(prediction));
    }

    /**
     * Reads a whole file.
     *
     * @throws PrpfException 65, naming file and line, for a line that is no prediction or an id that stands twice
     */
    public static List<Prediction> read(Path file) {
        List<Prediction> predictions = new ArrayList<>();
        Map<String, Integer> lineOfId = new HashMap<>();
        int number = 0;
        for (String line : lines(file)) {
            number++;
            if (!line.isBlank()) {
                String place = file + ":" + number;
                Prediction prediction = parse(place, line);
                Integer before = lineOfId.put(prediction.id(), number);
                if (before != null) {
                    throw new InvalidDataException(
                            place + ": id " + prediction.id() + " stands in line " + before + " already; " + RULE);
                }
                predictions.add(prediction);
            }
        }
        return predictions;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read as predictions: " + e, e);
        }
    }

    private static Prediction parse(String place, String text) {
        Line line = JsonRecords.read(place, "prediction", text, Line.class, OPTIONAL);
        try {
            return new Prediction(
                    line.id(),
                    line.route(),
                    line.pTrigger(),
                    Objects.requireNonNullElse(line.scenarios(), Map.of()),
                    line.response(),
                    line.calls().isNull() ? null : FunctionCallJson.readSequences(line.calls()));
        } catch (IllegalArgumentException e) {
            throw new InvalidDataException(place + ": is no prediction: " + e.getMessage(), e);
        } catch (PrpfException e) {
            throw new InvalidDataException(place + ": " + e.getMessage());
        }
    }
}
