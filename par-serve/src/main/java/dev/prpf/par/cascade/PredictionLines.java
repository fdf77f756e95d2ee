package dev.prpf.par.cascade;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.KeyedLines;
import dev.prpf.base.files.RecordLines;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Predictions as JSON Lines: {@code {"id", "route", "p_trigger", "scenarios", "response", "calls"}}; {@code calls} holds one list a
 * recommendation, {@code []} is silence, {@code null} a malformed response. The keys between {@code route} and {@code calls} may be missing.
 */
public final class PredictionLines {
    private static final RecordLines<Prediction> LINES =
            new RecordLines<>(Prediction.class, "prediction", "p_trigger", "scenarios", "response");
    private static final String RULE = "a sample has one prediction";

    private PredictionLines() {}

    /**
     * Opens a file, which may exist, to append predictions to.
     *
     * @throws PrpfException 65 if a line that is whole is no prediction or has an id again, 69 if the file cannot be written
     */
    public static KeyedLines open(Path file) {
        return new KeyedLines(
                file, RULE, (place, line) -> LINES.parse(place, line).id());
    }

    /** Appends a prediction to an open file. */
    public static void append(KeyedLines file, Prediction prediction) {
        file.append(prediction.id(), LINES.line(prediction));
    }

    /**
     * Reads a whole file.
     *
     * @throws PrpfException 65, naming file and line, for a line that is no prediction, an id that stands twice, or a file without lines
     */
    public static List<Prediction> read(Path file) {
        List<Prediction> predictions = new ArrayList<>();
        Map<String, String> placeOfId = new HashMap<>();
        LINES.read(file, (place, prediction) -> {
            String before = placeOfId.putIfAbsent(prediction.id(), place);
            if (before != null) {
                throw new InvalidDataException(place + ": id " + prediction.id() + " stands in "
                        + before.replaceFirst(".*:", "line ") + " already; " + RULE);
            }
            predictions.add(prediction);
        });
        return predictions;
    }
}
