package dev.prpf.eval.suite;

import dev.prpf.mpp.linear.LogisticRegression;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.stat.StatUtils;

/**
 * How familiar the event that has just happened is: logistic regression on its similarity to the earlier events of the same history. Routines
 * come back, noise rarely does; the earlier events need no labels, so a history can be one the gate was never trained on.
 *
 * <p>Similarity is the cosine of the texts' vectors less the training points' mean. Five numbers: the greatest, the mean of the three greatest, that of
 * the ten greatest, the mean over all, and how many there are (ln(1 + n): early on, nothing is familiar yet); each is brought to mean 0 and
 * standard deviation 1 on the training points.
 */
record Familiarity(EventVectors vectors) implements GateTrainer {
    private static final double C = 0.3;
    private static final int FEATURES = 5;
    private static final int[] GREATEST = {1, 3, 10, Integer.MAX_VALUE};

    @Override
    public Gate train(List<DecisionPoint> points) {
        float[] mean = vectors.mean(points.stream().map(DecisionPoint::lastText).toList());
        double[][] features = features(points, mean);
        double[] means = new double[FEATURES];
        double[] standardDeviations = new double[FEATURES];
        for (int j = 0; j < FEATURES; j++) {
            double[] column = new Array2DRowRealMatrix(features, false).getColumn(j);
            means[j] = StatUtils.mean(column);
            double variance = StatUtils.populationVariance(column);
            standardDeviations[j] = variance > 0 ? Math.sqrt(variance) : 1;
        }
        LogisticRegression regression =
                LogisticRegression.fit(rows(features, means, standardDeviations), Scored.labels(points), C);
        return test -> Arrays.stream(rows(features(test, mean), means, standardDeviations))
                .mapToDouble(regression::predictProbability)
                .toArray();
    }

    private static double[][] rows(double[][] features, double[] means, double[] standardDeviations) {
        return Arrays.stream(features)
                .map(row -> IntStream.range(0, FEATURES)
                        .mapToDouble(j -> (row[j] - means[j]) / standardDeviations[j])
                        .toArray())
                .toArray(double[][]::new);
    }

    /** Shape (points, 5); zeros where there are no earlier events. */
    private double[][] features(List<DecisionPoint> points, float[] mean) {
        return points.stream().map(point -> features(point, mean)).toArray(double[][]::new);
    }

    private double[] features(DecisionPoint point, float[] mean) {
        List<DecisionPoint.Event> events = point.events();
        float[] now = vectors.centred(point.lastText(), mean);
        double[] ascending = events.subList(0, events.size() - 1).stream()
                .mapToDouble(event -> cosine(now, vectors.centred(event.text(), mean)))
                .sorted()
                .toArray();
        double[] features = new double[FEATURES];
        for (int j = 0; j < GREATEST.length; j++) {
            int from = Math.max(0, ascending.length - GREATEST[j]);
            features[j] =
                    Arrays.stream(ascending, from, ascending.length).average().orElse(0);
        }
        features[FEATURES - 1] = Math.log1p(ascending.length);
        return features;
    }

    private static double cosine(float[] a, float[] b) {
        double product = 0;
        double squaresA = 0;
        double squaresB = 0;
        for (int j = 0; j < a.length; j++) {
            product += a[j] * b[j];
            squaresA += a[j] * a[j];
            squaresB += b[j] * b[j];
        }
        return squaresA == 0 || squaresB == 0 ? 0 : product / Math.sqrt(squaresA * squaresB);
    }
}
