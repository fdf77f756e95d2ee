package dev.prpf.eval.suite;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.eval.suite.GateSuite.SuiteEncoder;
import dev.prpf.mpp.ensemble.LogisticRegression;
import dev.prpf.mpp.ensemble.NestedFolds;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.stat.StatUtils;

/**
 * The phone logs of KnowU-Bench (arXiv 2604.08455) with one quarter noise. The task: is this event a signal, part of one of the
 * persona's routines? One persona is held out at a time (docs/SUITES.md). The released profiles are not used, because the signals
 * were written from the routines they list.
 *
 * @param points one point per event, with the log up to it; a group is one kind of event of one persona
 */
record KnowU(List<DecisionPoint> points, List<String> personas) {
    static final GateSuite SUITE = new GateSuite(
            "knowu",
            "signal or noise? 340 events of two phone logs, one persona held out",
            new Suite.DataSource("ZJU-REAL/KnowU-Bench", "0dd79895", "Apache-2.0"),
            "gate/knowu",
            GateSuite.ENGLISH,
            KnowU::score);

    private static final List<String> PERSONAS = List.of("student", "user");
    private static final int INNER_FOLDS = 5;
    private static final long SEED = 42;

    /** The perceiver of the first suite, not tuned again; only two are averaged, to save time. */
    private static final MppGate.Settings PERCEIVER = MppGate.PRIMARY.withSeeds(2);

    private static final String FAMILIARITY = "familiarity";

    private static SuiteResult score(DataFolder data, List<SuiteEncoder> encoders) {
        KnowU logs = read(data);
        List<EventVectors> vectors = EventVectors.of(logs.points(), encoders);
        EventVectors joined = EventVectors.joined(vectors);
        EnsembleExperiment experiment = new EnsembleExperiment(SUITE.name(), logs.points(), logs.folds(), vectors)
                .train(new MppGate(PERCEIVER, joined));
        return experiment
                .train(FAMILIARITY, new Familiarity(joined))
                .mix("mixture with familiarity", experiment.with(FAMILIARITY))
                .result(
                        "is the event a signal? phone logs, leave one persona out",
                        EnsembleExperiment.Threshold.HIGHEST_F1,
                        "Three quarters of the events are signals, so triggering always has a high F1: compare AUC and FTR.");
    }

    /** Returns the folds of personas. Inner folds hold out kinds of events, because another persona's kinds are mostly new, too. */
    NestedFolds folds() {
        return NestedFolds.leaveOneOut(personas, DecisionPoint.groups(points), INNER_FOLDS, SEED);
    }

    /**
     * Reads the logs {@code user_logs/*_noise_25pct.json}.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if a file is missing, 65 if it is invalid or not in order of time
     */
    static KnowU read(DataFolder data) {
        Path logs = data.find("user_logs");
        List<DecisionPoint> points = new ArrayList<>();
        List<String> personas = new ArrayList<>();
        for (String persona : PERSONAS) {
            BenchmarkFile file = data.file(logs.resolve(persona + "_noise_25pct.json"));
            JsonNode log = file.tree();
            file.require(log.isArray() && !log.isEmpty(), "/", log, "a list of events");
            List<DecisionPoint.Event> sofar = new ArrayList<>();
            for (int i = 0; i < log.size(); i++) {
                JsonNode event = log.get(i);
                sofar.add(event(file, "/" + i, event, sofar));
                points.add(point(file, "/" + i, event, persona, sofar));
                personas.add(persona);
            }
        }
        return new KnowU(points, personas);
    }

    private static DecisionPoint point(
            BenchmarkFile file, String place, JsonNode event, String persona, List<DecisionPoint.Event> sofar) {
        String label = file.text(event, "label", place);
        boolean holds = label.equals("signal") || label.equals("noise");
        file.require(holds, place + "/label", event.path("label"), "\"signal\" or \"noise\"");
        String group = persona + "/" + file.text(event, "category", place);
        return new DecisionPoint(group, List.of(), sofar, label.equals("signal"));
    }

    private static DecisionPoint.Event event(
            BenchmarkFile file, String place, JsonNode event, List<DecisionPoint.Event> sofar) {
        String time = file.text(event, "time", place);
        String action = file.words(event, "action", place, "what was done");
        OffsetDateTime at = moment(file, place, time);
        if (!sofar.isEmpty()
                && at.isBefore(OffsetDateTime.parse(sofar.get(sofar.size() - 1).time()))) {
            throw file.bad(
                    place + "/time", "is " + time + ", before the previous event's; the log must be in order of time");
        }
        return new DecisionPoint.Event(time, action);
    }

    private static OffsetDateTime moment(BenchmarkFile file, String place, String time) {
        try {
            return OffsetDateTime.parse(time);
        } catch (DateTimeParseException e) {
            throw file.bad(
                    place + "/time",
                    "is \"" + time + "\", must be a time with its offset, like 2026-01-01T11:12:14+08:00");
        }
    }

    /**
     * A gate by familiarity of the latest event: logistic regression on its similarity to earlier events of the same history.
     * Routines recur, noise rarely does. Earlier events need no labels, so the gate also works for untrained histories.
     *
     * <p>Similarity is the cosine of vectors minus the training mean. The five features are the maximum, the means of the top
     * three, the top ten and all, and ln(1 + n) of their number n. Each is standardised on the training points.
     */
    record Familiarity(EventVectors vectors) implements GateTrainer {
        private static final double C = 0.3;
        private static final int FEATURES = 5;
        private static final int[] GREATEST = {1, 3, 10, Integer.MAX_VALUE};

        @Override
        public Gate train(List<DecisionPoint> points) {
            float[] mean =
                    vectors.mean(points.stream().map(DecisionPoint::lastText).toList());
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

        /** Returns the features, shape (points, 5); zeros without earlier events. */
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
                features[j] = Arrays.stream(ascending, from, ascending.length)
                        .average()
                        .orElse(0);
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
}
