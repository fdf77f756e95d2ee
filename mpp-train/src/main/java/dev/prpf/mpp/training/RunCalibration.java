package dev.prpf.mpp.training;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.calibration.ProbabilityCalibration.FittedCalibration;
import dev.prpf.mpp.perceive.MppModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run's {@code calibration.json}, and the check that it belongs to the loaded weights. Training may fall back to an older checkpoint, but a
 * calibration, τ and its risk bound are invalid for other weights.
 */
record RunCalibration(Path run) {
    static final String FILE = "calibration.json";
    static final String CONFIG = "config.resolved.yaml";

    private static final Logger LOG = LoggerFactory.getLogger(RunCalibration.class);
    private static final String NONE = "none";

    Path file() {
        return run.resolve(FILE);
    }

    /** Returns whether the file exists; it is written at the end of the training. */
    boolean exists() {
        return Files.isRegularFile(file());
    }

    void write(FittedCalibration calibration) {
        AtomicFiles.writeText(file(), calibration.json() + "\n");
    }

    /** @throws PrpfException 65 if the file is missing or damaged */
    FittedCalibration read() {
        if (!exists()) {
            throw new InvalidDataException(file()
                    + ": is missing, so the weights of the run's probabilities and threshold are unknown;"
                    + " restore it, or train again with another --run-dir");
        }
        try {
            if (new ObjectMapper().readTree(Files.readAllBytes(file())) instanceof ObjectNode tree) {
                return FittedCalibration.of(file().toString(), tree);
            }
            throw new InvalidDataException(file() + ": is not a calibration: must be a JSON object");
        } catch (IOException e) {
            throw new InvalidDataException(file() + ": is not a calibration: " + e.getMessage());
        }
    }

    /**
     * Returns the calibration of a run's loaded checkpoint, or of a checkpoint that was given itself.
     *
     * @throws PrpfException 65 if the run's calibration is missing, damaged or of other weights
     */
    static ProbabilityCalibration of(Path given, Path checkpoint) {
        boolean isRun = !given.equals(checkpoint);
        Path run = isRun ? given : runOf(checkpoint);
        if (run == null) {
            LOG.warn(
                    "{} is not in a run, so p_trigger is not calibrated: a calibration or a threshold of its former"
                            + " run does not apply",
                    checkpoint);
            return new ProbabilityCalibration.None();
        }
        return new RunCalibration(run).of(checkpoint, () -> MppModel.weightsSha256(checkpoint), isRun);
    }

    /**
     * Returns the calibration of this run's weights.
     *
     * @param required whether the calibration must belong to these weights even if it changes nothing
     * @throws PrpfException 65 if the calibration is missing, damaged or of other weights
     */
    ProbabilityCalibration of(Path weights, Supplier<String> sha256, boolean required) {
        if (!exists()) {
            String method = configuredMethod();
            if (!method.equals(NONE)) {
                throw new InvalidDataException(file() + ": is missing, and the run's configuration says"
                        + " calibration.method: " + method + "; restore it, let `prpf gate train --run-dir " + run
                        + "` finish, or train again with another --run-dir");
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
                    + found + ": the run's calibration, threshold and risk control are invalid for other weights;"
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

    /** Returns the run of a checkpoint in {@code best/step_N} or {@code checkpoints/step_N}; null if it is not in a run. */
    private static @Nullable Path runOf(Path checkpoint) {
        Path store = checkpoint.toAbsolutePath().normalize().getParent();
        Path run = store == null ? null : store.getParent();
        return run != null && Files.isRegularFile(run.resolve(CONFIG)) ? run : null;
    }
}
