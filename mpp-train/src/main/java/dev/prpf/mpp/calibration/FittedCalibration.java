package dev.prpf.mpp.calibration;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A run's calibration and the weights it was fitted on, kept in the run as {@code calibration.json}.
 *
 * @param calibration from logit to p_trigger
 * @param modelSha256 of the weights ({@link dev.prpf.mpp.MppModel#weightsSha256}); null where an older version wrote the file
 */
public record FittedCalibration(ProbabilityCalibration calibration, @Nullable String modelSha256) {
    /** File name within a run directory. */
    public static final String FILE = "calibration.json";

    private static final String MODEL = "model_sha256";
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);

    /** Whether a run has one: it is written when the training ends. */
    public static boolean exists(Path run) {
        return Files.isRegularFile(run.resolve(FILE));
    }

    /** Writes {@link #FILE} into a run directory. */
    public void save(Path run) {
        ObjectNode tree = JSON.valueToTree(calibration);
        if (modelSha256 != null) {
            tree.put(MODEL, modelSha256);
        }
        try {
            AtomicFiles.writeText(run.resolve(FILE), JSON.writeValueAsString(tree) + "\n");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @throws PrpfException 65 if the file is missing or damaged */
    public static FittedCalibration load(Path run) {
        Path file = run.resolve(FILE);
        if (!exists(run)) {
            throw new InvalidDataException(file
                    + ": is missing, so nobody knows which weights the run's probabilities and threshold belong to;"
                    + " restore it, or train again with another --run-dir");
        }
        try {
            JsonNode read = JSON.readTree(Files.readAllBytes(file));
            if (!(read instanceof ObjectNode tree)) {
                throw new InvalidDataException(file + ": is no calibration: must be a JSON object");
            }
            JsonNode model = tree.remove(MODEL);
            if (model != null && !model.asText().matches("[0-9a-f]{64}")) {
                throw new InvalidDataException(
                        file + ": is no calibration: " + MODEL + " = " + model + ", must be a SHA-256 in hexadecimal");
            }
            return new FittedCalibration(
                    JSON.treeToValue(tree, ProbabilityCalibration.class), model == null ? null : model.asText());
        } catch (IOException e) {
            throw new InvalidDataException(file + ": is no calibration: " + e.getMessage());
        }
    }
}
