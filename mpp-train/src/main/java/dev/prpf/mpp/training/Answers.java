package dev.prpf.mpp.training;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.mpp.calibration.CalibrationMethod;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.calibration.ProbabilityCalibration.FittedCalibration;
import dev.prpf.mpp.perceive.LabelledPerceptions;
import dev.prpf.mpp.split.SampleSplit.Split;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A trained perceiver's logits for all held-out samples.
 *
 * @param train its training samples
 */
record Answers(ScenarioCatalog catalog, List<Sample> train, Part dev, Part calibration, @Nullable Part test) {
    /** The samples of a split and their logits, (n, 1 + S). */
    record Part(List<Sample> samples, double[][] logits) {}

    /**
     * Calibrates on dev, and writes the calibration and the calibrated answers to a run.
     *
     * @param weights SHA-256 of the perceiver's weights
     */
    void write(TrainedRun files, CalibrationMethod method, String weights) {
        LabelledPerceptions raw = perceptions(Split.DEV, dev, new ProbabilityCalibration.None());
        ProbabilityCalibration fitted = method.fit(raw.logits(), raw.acts());
        files.write(new FittedCalibration(fitted, weights));
        if (!calibration.samples.isEmpty()) {
            files.write(perceptions(Split.CALIBRATION, calibration, fitted));
        }
        if (test != null) {
            files.write(perceptions(Split.TEST, test, fitted));
        }
        // Written last: a sweep treats a run that has this file as complete.
        files.write(perceptions(Split.DEV, dev, fitted));
    }

    private LabelledPerceptions perceptions(Split split, Part part, ProbabilityCalibration fitted) {
        Set<String> trained = train.stream().map(catalog::scenarioOf).collect(Collectors.toSet());
        return LabelledPerceptions.of(split, part.samples, part.logits, fitted, catalog, trained);
    }
}
