package dev.prpf.cli.quickstart;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.data.TextTrajectory;
import dev.prpf.data.TraceStep;
import dev.prpf.eval.baseline.TextAnalyzer;
import dev.prpf.eval.baseline.TfIdfGate;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.threshold.ThresholdRule;
import dev.prpf.mpp.threshold.TriggerThreshold;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.commons.lang3.ArrayUtils;

/**
 * The baseline gate: TF-IDF and logistic regression over all of a sample's words, its threshold chosen as the perceiver's is.
 *
 * @param model gives the probability
 * @param threshold τ
 */
record TextGate(TfIdfGate model, double threshold) {
    private static final double DEV_SHARE = 0.2;

    /** Fits on 80 % of the samples and chooses τ on the rest. */
    static TextGate fit(
            List<Sample> train,
            ThresholdRule.OnDev rule,
            long seed,
            Function<TraceStep.Screenshot, String> screenText) {
        List<Sample> shuffled = new ArrayList<>(train);
        Collections.shuffle(shuffled, new Random(seed));
        int devSize = (int) (shuffled.size() * DEV_SHARE);
        List<Sample> dev = shuffled.subList(0, devSize);
        List<Sample> fitted = shuffled.subList(devSize, shuffled.size());
        List<String> texts =
                fitted.stream().map(sample -> text(sample, screenText)).toList();
        TfIdfGate model = TfIdfGate.fit(texts, labels(fitted), TextAnalyzer.CHARACTERS);
        TriggerThreshold chosen = TriggerThreshold.choose(probabilities(model, dev, screenText), labels(dev), rule);
        return new TextGate(model, chosen.threshold());
    }

    ConfusionMatrix decisions(List<Sample> samples, Function<TraceStep.Screenshot, String> screenText) {
        return ConfusionMatrix.at(threshold, probabilities(model, samples, screenText), labels(samples));
    }

    private static double[] probabilities(
            TfIdfGate model, List<Sample> samples, Function<TraceStep.Screenshot, String> screenText) {
        return samples.stream()
                .mapToDouble(sample -> model.predictProbability(text(sample, screenText)))
                .toArray();
    }

    static boolean[] labels(List<Sample> samples) {
        return ArrayUtils.toPrimitive(
                samples.stream().map(Sample::wantsIntervention).toArray(Boolean[]::new));
    }

    private static String text(Sample sample, Function<TraceStep.Screenshot, String> screenText) {
        DeviceContext context = sample.context();
        String trace = sample.trajectory() instanceof TextTrajectory text
                ? String.join("\n", text.steps())
                : ((ScreenTrajectory) sample.trajectory())
                        .steps().stream()
                                .map(frame -> frame instanceof TraceStep.Screenshot shot
                                        ? screenText.apply(shot)
                                        : ((TraceStep.Caption) frame).text())
                                .collect(Collectors.joining("\n"));
        return String.join("\n", context.profile(), context.phone(), context.world(), trace);
    }
}
