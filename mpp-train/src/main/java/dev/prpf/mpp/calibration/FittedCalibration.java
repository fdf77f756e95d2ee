package dev.prpf.mpp.calibration;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.json.JsonRecords;

/** A run's calibration and the {@code MppModel.weightsSha256} that it was fitted on. */
public record FittedCalibration(ProbabilityCalibration calibration, String modelSha256) {
    private static final String MODEL = "model_sha256";

    public FittedCalibration {
        boolean isSum = modelSha256 != null && modelSha256.matches("[0-9a-f]{64}");
        Rule.require(isSum, MODEL, modelSha256, "a SHA-256 in hexadecimal");
    }

    /** One JSON object: the calibration's keys and {@code model_sha256}. */
    public String json() {
        return ((ObjectNode) JsonRecords.tree(calibration))
                .put(MODEL, modelSha256)
                .toString();
    }

    /**
     * Reads what {@link #json} wrote; removes a key from the tree.
     *
     * @param place of the object, for messages
     * @throws PrpfException 65 if it is damaged
     */
    public static FittedCalibration of(String place, ObjectNode tree) {
        ObjectNode components = tree.objectNode();
        components.set(MODEL, tree.remove(MODEL));
        components.set("calibration", tree);
        return JsonRecords.read(place, "calibration", components.toString(), FittedCalibration.class);
    }
}
