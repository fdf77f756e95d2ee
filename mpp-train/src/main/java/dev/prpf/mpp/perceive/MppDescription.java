package dev.prpf.mpp.perceive;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.mpp.network.ModelZip;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Describes a trained perceiver, next to its model file.
 *
 * @param format version of the checkpoint's files, {@link #FORMAT}
 * @param dl4j version of DL4J that wrote the model file
 * @param shape the network, including its limits of steps and screenshots
 * @param scenarios names of the scenario outputs, in order
 */
public record MppDescription(
        int format,
        String dl4j,
        NetworkShape shape,
        JointLoss loss,
        List<String> scenarios,
        String textEncoder,
        String frameEncoder) {
    /** Version of the checkpoint files that this program reads and writes. */
    public static final int FORMAT = 5;

    // The file's keys are the components' names in camel case.
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);

    /** Makes a description in this program's format. */
    public MppDescription(
            NetworkShape shape, JointLoss loss, List<String> scenarios, String textEncoder, String frameEncoder) {
        this(FORMAT, ModelZip.DL4J, shape, loss, scenarios, textEncoder, frameEncoder);
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

    /** @throws PrpfException 65 if the file is damaged, not a perceiver's, or of another format */
    static MppDescription read(Path file) {
        try {
            JsonNode tree = JSON.readTree(Files.readAllBytes(file));
            if (tree == null || !tree.isObject() || !tree.has("shape")) {
                throw new InvalidDataException(file + ": does not describe a perceiver (it has no \"shape\")");
            }
            requireVersion(file, tree);
            return JSON.treeToValue(tree, MppDescription.class);
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read: " + e.getMessage());
        }
    }

    private static void requireVersion(Path file, JsonNode tree) {
        int format = tree.path("format").asInt(1);
        if (format > FORMAT) {
            throw new InvalidDataException(file + ": format = " + format + ", this version reads " + FORMAT
                    + ": a newer version wrote it; use that version");
        }
        if (format < FORMAT) {
            throw new InvalidDataException(file + ": format = " + format + ", this version reads " + FORMAT
                    + ": an older version's own engine wrote it; " + trainAgain(file));
        }
        String dl4j = tree.path("dl4j").asText();
        if (!dl4j.equals(ModelZip.DL4J)) {
            throw new InvalidDataException(file + ": dl4j = " + dl4j + ", this version reads model files of DL4J "
                    + ModelZip.DL4J + "; " + trainAgain(file));
        }
    }

    /** Returns advice with the command that trained the checkpoint's run. */
    private static String trainAgain(Path file) {
        Path run = file.toAbsolutePath().normalize().resolve("../../..").normalize();
        if (!Files.isRegularFile(run.resolve(RunDirectory.RUN))) {
            return "train again with `prpf gate train`";
        }
        RunDescription description = RunDirectory.description(run);
        return "move " + run + " away and train again with `prpf " + description.command() + " "
                + String.join(" ", description.arguments()) + "`";
    }

    /** @throws PrpfException 78 if the encoders or the catalogue differ from those of the training */
    public void requireSame(SampleEncoder encoder, ScenarioCatalog catalog) {
        require("text encoder", textEncoder, encoder.textEncoderId());
        require("frame encoder", frameEncoder, encoder.imageEncoderId());
        require("encoder width", shape.width(), encoder.width());
        require("scenario catalogue", scenarios, catalog.names());
    }

    private static void require(String what, Object trained, Object given) {
        if (!trained.equals(given)) {
            throw new InvalidConfigurationException("the perceiver was trained with " + what + " " + trained
                    + ", now it is " + given + ": its outputs would be meaningless; use the same, or train again");
        }
    }
}
