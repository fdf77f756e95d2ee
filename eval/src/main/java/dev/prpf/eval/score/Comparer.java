package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.base.statistics.Means;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.eval.judge.Judge;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.reward.StructuredReward;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Compares two sets of predictions of the same samples: the metrics of {@link Scorer}, malformed responses and the reward.
 *
 * @param judge judges functional equivalence
 * @param reward scores the responses
 * @param reasoning the required response form, which decides which responses the reward treats as malformed
 * @param bootstrap computes the intervals
 */
public record Comparer(Judge judge, StructuredReward reward, ReasoningMode reasoning, Bootstrap bootstrap) {
    /**
     * Compares two sets of predictions.
     *
     * @param before one prediction per sample by id, checked by {@link Pairing}
     * @param after the other predictions
     * @throws PrpfException 65 for a malformed prediction without its response
     */
    public Comparison compare(
            List<Sample> gold, FunctionPool pool, Map<String, Prediction> before, Map<String, Prediction> after) {
        Scorer scorer = new Scorer(null, judge, bootstrap);
        List<SampleScore> first = scorer.samples(gold.iterator(), before::get, pool);
        List<SampleScore> second = scorer.samples(gold.iterator(), after::get, pool);
        long[] sources = first.stream().mapToLong(SampleScore::source).toArray();
        Map<String, double[]> firsts = values(gold, before, first);
        List<@Nullable Paired> pairs = Paired.of(
                bootstrap,
                sources,
                List.copyOf(firsts.values()),
                List.copyOf(values(gold, after, second).values()));
        Map<String, @Nullable Paired> rows = new LinkedHashMap<>();
        firsts.keySet().forEach(key -> rows.put(key, pairs.get(rows.size())));
        return new Comparison(gold.size(), bootstrap.resamples(), bootstrap.seed(), judge.id(), rows);
    }

    /** Returns the compared values, one per sample; NaN if a metric does not count the sample. */
    private Map<String, double[]> values(
            List<Sample> gold, Map<String, Prediction> predictions, List<SampleScore> scores) {
        Map<String, double[]> values = new LinkedHashMap<>();
        values.put("reward", rewards(gold, predictions));
        for (Metric metric : Metric.values()) {
            if (metric.comparable()) {
                values.put(metric.key(), each(scores, metric::percent));
            }
        }
        values.put("malformed", each(scores, score -> score.malformed() ? 100 : 0));
        return values;
    }

    private static double[] each(List<SampleScore> scores, ToDoubleFunction<SampleScore> value) {
        return scores.stream().mapToDouble(value).toArray();
    }

    private double[] rewards(List<Sample> gold, Map<String, Prediction> predictions) {
        return gold.stream()
                .mapToDouble(
                        sample -> reward(sample, Objects.requireNonNull(predictions.get(sample.id()), sample.id())))
                .toArray();
    }

    /** Returns the reward: of the calls without a response text, and of an empty text after a malformed perceiver answer. */
    private double reward(Sample sample, Prediction prediction) {
        String response = prediction.unusablePerception() ? "" : prediction.response();
        if (response != null) {
            return reward.score(sample, response, ResponseForm.of(reasoning, sample.modality()))
                    .total();
        }
        List<FunctionCall> calls = prediction.scored();
        if (calls == null) {
            throw new InvalidDataException("prediction " + sample.id()
                    + " is malformed and has no response, so its reward is not known; predict again with responses");
        }
        return reward.score(sample, calls).total();
    }

    /**
     * The comparison of two sets of predictions, printed by {@code eval compare --json}.
     *
     * @param n number of samples
     * @param resamples number of draws for the intervals
     * @param seed seed of the draws
     * @param judge the id of the judge of functional equivalence, for SR
     * @param rows rows by the metric's key; null if no sample counts
     */
    public record Comparison(
            int n, int resamples, long seed, String judge, @JsonAnyGetter Map<String, @Nullable Paired> rows) {}

    /**
     * The difference of two means over the same samples.
     *
     * @param n number of samples counted on both sides
     * @param before the first mean
     * @param after the second mean
     * @param difference after minus before
     * @param interval interval of the difference, from paired draws of sources with replacement; null with one source, or if no draw
     *     has a counted sample
     */
    public record Paired(
            int n, double before, double after, double difference, @JsonProperty("ci") @Nullable Interval interval) {

        /**
         * Compares several values of the same samples, on the same draws. Shapes: S values, n samples, n at least 1.
         *
         * @param sources of the samples, shape (n)
         * @param first values, shape (S, n); NaN where the sample does not count
         * @param second the values of another system; a sample counts if both values exist
         * @return one result per value; null if no sample counts
         */
        public static List<@Nullable Paired> of(
                Bootstrap bootstrap, long[] sources, List<double[]> first, List<double[]> second) {
            double[][] differences = new double[sources.length][first.size()];
            for (int i = 0; i < sources.length; i++) {
                for (int s = 0; s < first.size(); s++) {
                    differences[i][s] = second.get(s)[i] - first.get(s)[i];
                }
            }
            List<@Nullable Interval> intervals = bootstrap.ofMeans(Means.of(sources, i -> differences[i]));
            List<@Nullable Paired> pairs = new ArrayList<>();
            for (int s = 0; s < first.size(); s++) {
                pairs.add(of(first.get(s), second.get(s), intervals.get(s)));
            }
            return Collections.unmodifiableList(pairs);
        }

        private static @Nullable Paired of(double[] first, double[] second, @Nullable Interval interval) {
            int[] counted = IntStream.range(0, first.length)
                    .filter(i -> !Double.isNaN(first[i]) && !Double.isNaN(second[i]))
                    .toArray();
            if (counted.length == 0) {
                return null;
            }
            double before = mean(first, counted);
            double after = mean(second, counted);
            return new Paired(counted.length, before, after, after - before, interval);
        }

        private static double mean(double[] values, int[] counted) {
            return IntStream.of(counted).mapToDouble(i -> values[i]).sum() / counted.length;
        }
    }
}
