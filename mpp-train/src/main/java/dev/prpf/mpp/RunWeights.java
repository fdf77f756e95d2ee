package dev.prpf.mpp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.mpp.calibration.FittedCalibration;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * That a checkpoint's weights are those its run's calibration and threshold were made with: a fallback to an older checkpoint keeps
 * training going, but τ and its guarantee say nothing of other weights.
 */
final class RunWeights {
    private static final Logger LOG = LoggerFactory.getLogger(RunWeights.class);
    private static final String NONE = "none";

    private RunWeights() {}

    /**
     * The calibration of a checkpoint.
     *
     * @param given a run, or the checkpoint itself
     * @param checkpoint the one that is loaded
     * @throws PrpfException 65 if the run's calibration is missing, damaged or of other weights
     */
    static ProbabilityCalibration calibration(Path given, Path checkpoint) {
        boolean isRun = !given.equals(checkpoint);
        Path run = isRun ? given : runOf(checkpoint);
        if (run == null) {
            LOG.warn(
                    "{} lies in no run, so p_trigger is the network's own: a calibration or a threshold that its run"
                            + " had does not apply",
                    checkpoint);
            return new ProbabilityCalibration.None();
        }
        if (!FittedCalibration.exists(run)) {
            String method = configuredMethod(run);
            if (!method.equals(NONE)) {
                throw new InvalidDataException(run.resolve(FittedCalibration.FILE) + ": is missing, and the run's"
                        + " configuration says calibration.method: " + method + "; restore it, let `prpf mpp train"
                        + " --run-dir " + run + "` come to its end, or train again with another --run-dir");
            }
            if (isRun) {
                requireBestStep(run, checkpoint);
            }
            return new ProbabilityCalibration.None();
        }
        FittedCalibration fitted = FittedCalibration.load(run);
        if (isRun || !(fitted.calibration() instanceof ProbabilityCalibration.None)) {
            requireFitted(run, fitted, checkpoint);
        }
        return fitted.calibration();
    }

    /** The weights that a run's perceptions, calibration and thresholds are of; null where the run does not say. */
    static @Nullable String of(Path run) {
        return FittedCalibration.exists(run) ? FittedCalibration.load(run).modelSha256() : null;
    }

    /** @throws PrpfException 65 unless a run's calibration is of the weights that its threshold was chosen with */
    static void requireThreshold(Path run, @Nullable String chosenWith) {
        if (chosenWith == null) {
            return; // of an older version: the calibration's own check must do
        }
        String fitted = FittedCalibration.load(run).modelSha256();
        if (!chosenWith.equals(fitted)) {
            throw new InvalidDataException(
                    run.resolve(TriggerThreshold.FILE) + ": was chosen with weights " + chosenWith
                            + ", " + FittedCalibration.FILE + " belongs to " + (fitted == null ? "others" : fitted)
                            + ": neither the threshold nor its guarantee holds of these; choose again with `prpf mpp"
                            + " sweep --run "
                            + run + "`");
        }
    }

    private static void requireFitted(Path run, FittedCalibration fitted, Path checkpoint) {
        String expected = fitted.modelSha256();
        if (expected == null) {
            requireBestStep(run, checkpoint);
            return;
        }
        String found = MppModel.weightsSha256(checkpoint);
        if (!expected.equals(found)) {
            throw new InvalidDataException(run.resolve(FittedCalibration.FILE) + ": belongs to weights " + expected
                    + ", " + checkpoint + " holds " + found + nothingHolds());
        }
    }

    /** A run made before the weights' sum was kept: its result names the step. */
    private static void requireBestStep(Path run, Path checkpoint) {
        JsonNode step = RunDirectory.result(run).path("best_step");
        String found = checkpoint.getFileName().toString();
        if (!step.isMissingNode() && !found.equals("step_" + step.asText())) {
            throw new InvalidDataException(run.resolve("run.json") + ": the best step is " + step.asText()
                    + ", the newest whole checkpoint is " + checkpoint + nothingHolds());
        }
    }

    private static String nothingHolds() {
        return ": the run's calibration, threshold and guarantee say nothing of other weights; restore the checkpoint"
                + " they belong to, or train again with another --run-dir";
    }

    private static String configuredMethod(Path run) {
        Path file = run.resolve("config.resolved.yaml");
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
        return run != null && Files.isRegularFile(run.resolve("config.resolved.yaml")) ? run : null;
    }
}
