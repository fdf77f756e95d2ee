package dev.prpf.mpp.run;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.mpp.calibration.FittedCalibration;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.perceive.MppModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run's {@code calibration.json}, and the check that it belongs to the weights that are loaded: a fallback to an older checkpoint keeps
 * training going, but a calibration, τ and the bound on its risk say nothing of other weights.
 */
record RunCalibration(Path run) {
    static final String FILE = "calibration.json";
    static final String CONFIG = "config.resolved.yaml";

    private static final Logger LOG = LoggerFactory.getLogger(RunCalibration.class);
    private static final String NONE = "none";

    Path file() {
        return run.resolve(FILE);
    }

    /** Whether there is one: it is written when the training ends. */
    boolean exists() {
        return Files.isRegularFile(file());
    }

    void write(FittedCalibration calibration) {
        AtomicFiles.writeText(file(), calibration.json() + "\n");
    }

    /** @throws PrpfException 65 if it is missing or damaged */
    FittedCalibration read() {
        if (!exists()) {
            throw new InvalidDataException(file()
                    + ": is missing, so nobody knows which weights the run's probabilities and threshold belong to;"
                    + " restore it, or train again with another --run-dir");
        }
        try {
            if (new ObjectMapper().readTree(Files.readAllBytes(file())) instanceof ObjectNode tree) {
                return FittedCalibration.of(file().toString(), tree);
            }
            throw new InvalidDataException(file() + ": is no calibration: must be a JSON object");
        } catch (IOException e) {
            throw new InvalidDataException(file() + ": is no calibration: " + e.getMessage());
        }
    }

    /**
     * The calibration of the checkpoint that is loaded for a given run, or that was given itself.
     *
     * @throws PrpfException 65 if the run's calibration is missing, damaged or of other weights
     */
    static ProbabilityCalibration of(Path given, Path checkpoint) {
        boolean isRun = !given.equals(checkpoint);
        Path run = isRun ? given : runOf(checkpoint);
        if (run == null) {
            LOG.warn(
                    "{} lies in no run, so p_trigger is the network's own: a calibration or a threshold that its run"
                            + " had does not apply",
                    checkpoint);
            return new ProbabilityCalibration.None();
        }
        return new RunCalibration(run).of(checkpoint, () -> MppModel.weightsSha256(checkpoint), isRun);
    }

    /**
     * The calibration of this run's weights.
     *
     * @param weights where they lie, for messages
     * @param sha256 their sum
     * @param required whether the calibration must be of these weights even where it changes nothing
     * @throws PrpfException 65 if the calibration is missing, damaged or of other weights
     */
    ProbabilityCalibration of(Path weights, Supplier<String> sha256, boolean required) {
        if (!exists()) {
            String method = configuredMethod();
            if (!method.equals(NONE)) {
                throw new InvalidDataException(file() + ": is missing, and the run's configuration says"
                        + " calibration.method: " + method + "; restore it, let `prpf mpp train --run-dir " + run
                        + "` come to its end, or train again with another --run-dir");
            }
            return new ProbabilityCalibration.None();
        }
        FittedCalibration fitted = read();
        if (required || !(fitted.calibration() instanceof ProbabilityCalibration.None)) {
            requireFitted(fitted.modelSha256(), weights, sha256.get());
        }
        return fitted.calibration();
    }

    private void requireFitted(String expected, Path weights, String found) {
        if (!expected.equals(found)) {
            throw new InvalidDataException(file() + ": belongs to weights " + expected + ", " + weights + " holds "
                    + found + ": the run's calibration, threshold and risk control say nothing of other weights;"
                    + " restore the checkpoint they belong to, or train again with another --run-dir");
        }
    }

    private String configuredMethod() {
        Path file = run.resolve(CONFIG);
        if (!Files.isRegularFile(file)) {
            return NONE;
        }
        try {
            return new ObjectMapper(new YAMLFactory())
                    .readTree(Files.readAllBytes(file))
                    .at("/calibration/method")
                    .asText(NONE);
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read: " + e.getMessage());
        }
    }

    /** The run that a checkpoint directory lies in, as {@code best/step_N} or {@code checkpoints/step_N}; null where it lies in none. */
    private static @Nullable Path runOf(Path checkpoint) {
        Path store = checkpoint.toAbsolutePath().normalize().getParent();
        Path run = store == null ? null : store.getParent();
        return run != null && Files.isRegularFile(run.resolve(CONFIG)) ? run : null;
    }
}
