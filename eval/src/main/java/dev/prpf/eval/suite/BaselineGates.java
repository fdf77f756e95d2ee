package dev.prpf.eval.suite;

import dev.prpf.mpp.ensemble.LogisticRegression;
import dev.prpf.mpp.ensemble.NaiveBayes;
import dev.prpf.mpp.ensemble.TextAnalyzer;
import dev.prpf.mpp.ensemble.TfIdfGate;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.lang3.Strings;

/** Baseline gates, which read only the last event and the context, if any. */
final class BaselineGates {
    private static final int MINIMUM_DOCUMENTS = 2;

    private BaselineGates() {}

    /** Makes the same decision everywhere; its constant score has an AUC of one half. */
    static Scored always(boolean trigger, List<DecisionPoint> points) {
        double[] thresholds = new double[points.size()];
        Arrays.fill(thresholds, trigger ? 0 : Double.POSITIVE_INFINITY);
        return Scored.thresholded(points, new double[points.size()], thresholds);
    }

    /** Triggers iff the last event contains "search". The rule was chosen after seeing weights, so it is not blind. */
    static Scored searchRule(List<DecisionPoint> points) {
        return new Scored(points, null, Scored.flags(points, point -> Strings.CI.contains(point.lastText(), "search")));
    }

    static GateTrainer tfIdf() {
        return points ->
                each(TfIdfGate.fit(texts(points), Scored.labels(points), TextAnalyzer.WORDS)::predictProbability);
    }

    static GateTrainer naiveBayes() {
        return points -> each(NaiveBayes.fit(
                texts(points), Scored.labels(points), TextAnalyzer.WORDS, MINIMUM_DOCUMENTS)::predictProbability);
    }

    /**
     * Trains logistic regression on the embedding of the last event, followed by those of the context, if any.
     *
     * @param c inverse strength of the regularisation
     */
    static GateTrainer embedding(EventVectors vectors, double c) {
        return points -> {
            LogisticRegression regression = LogisticRegression.fit(rows(points, vectors), Scored.labels(points), c);
            return test -> Arrays.stream(rows(test, vectors))
                    .mapToDouble(regression::predictProbability)
                    .toArray();
        };
    }

    private static double[][] rows(List<DecisionPoint> points, EventVectors vectors) {
        return points.stream()
                .map(point -> Stream.concat(Stream.of(point.lastText()), point.context().stream())
                        .map(vectors::of)
                        .flatMapToDouble(BaselineGates::entries)
                        .toArray())
                .toArray(double[][]::new);
    }

    private static DoubleStream entries(float[] vector) {
        return IntStream.range(0, vector.length).mapToDouble(j -> vector[j]);
    }

    private static GateTrainer.Gate each(ToDoubleFunction<String> classifier) {
        return points -> points.stream()
                .map(DecisionPoint::words)
                .mapToDouble(classifier)
                .toArray();
    }

    private static List<String> texts(List<DecisionPoint> points) {
        return points.stream().map(DecisionPoint::words).toList();
    }
}
