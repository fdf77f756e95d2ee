package dev.prpf.mpp.perceive;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a trained perceiver is, kept beside its arrays.
 *
 * @param format version of the checkpoint's files, {@link #FORMAT}
 * @param shape the network, with the most steps and screenshots it sees
 * @param scenarios names of the scenario outputs, in order
 */
public record MppDescription(
        int format,
        NetworkShape shape,
        JointLoss loss,
        List<String> scenarios,
        String textEncoder,
        String frameEncoder) {
    /** The version of checkpoint files that this program writes and reads. */
    public static final int FORMAT = 4;

    // The file's keys are the components as they stand, not in snake case.
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);

    /** A description in this program's format. */
    public MppDescription(
            NetworkShape shape, JointLoss loss, List<String> scenarios, String textEncoder, String frameEncoder) {
        this(FORMAT, shape, loss, scenarios, textEncoder, frameEncoder);
    }

    public MppDescription {
        scenarios = List.copyOf(scenarios);
        if (scenarios.size() != shape.scenarios()) {
            throw new IllegalArgumentException(
                    scenarios.size() + " scenario names for " + shape.scenarios() + " outputs");
        }
    }

    byte[] json() throws IOException {
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this);
    }

    /** @throws PrpfException 65 if the file is damaged, no perceiver's, or of another format */
    static MppDescription read(Path file) {
        try {
            JsonNode tree = JSON.readTree(Files.readAllBytes(file));
            if (tree == null || !tree.isObject() || !tree.has("shape")) {
                throw new InvalidDataException(file + ": describes no perceiver (it has no \"shape\")");
            }
            int format = tree.path("format").asInt(1);
            if (format != FORMAT) {
                throw new InvalidDataException(file + ": format = " + format + ", this version reads " + FORMAT
                        + (format < FORMAT
                                ? ": an older version wrote it; train again"
                                : ": a newer version wrote it; use that version"));
            }
            return JSON.treeToValue(tree, MppDescription.class);
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read: " + e.getMessage());
        }
    }

    /** @throws PrpfException 78 unless the encoders and the catalogue are those this perceiver was trained with */
    public void requireSame(SampleEncoder encoder, ScenarioCatalog catalog) {
        require("text encoder", textEncoder, encoder.textEncoderId());
        require("frame encoder", frameEncoder, encoder.imageEncoderId());
        require("encoder width", shape.width(), encoder.width());
        require("scenario catalogue", scenarios, catalog.names());
    }

    private static void require(String what, Object trained, Object given) {
        if (!trained.equals(given)) {
            throw new InvalidConfigurationException("the perceiver was trained with " + what + " " + trained
                    + ", now it is " + given + ": its outputs would mean nothing; use the same, or train again");
        }
    }
}
