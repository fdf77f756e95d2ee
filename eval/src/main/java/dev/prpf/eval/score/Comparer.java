package dev.prpf.eval.score;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.eval.judge.Judge;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.reward.StructuredReward;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.commons.math3.util.MathArrays;
import org.jspecify.annotations.Nullable;

/**
 * Compares two sets of predictions of the same samples: the metrics of {@link Scorer}, malformed responses and the reward.
 *
 * @param judge of functional equivalence
 * @param reward of the responses
 * @param reasoning the form that responses must have; decides which are malformed to the reward
 * @param bootstrap makes the intervals
 */
public record Comparer(Judge judge, StructuredReward reward, ReasoningMode reasoning, Bootstrap bootstrap) {
    /** The metrics that are compared; a sample counts where it counts on both sides. */
    private static final List<Metric> METRICS =
            List.of(Metric.TYPE_ACC, Metric.SR, Metric.SR_ACT, Metric.FTR, Metric.PRECISION, Metric.RECALL, Metric.F1);

    /**
     * Compares.
     *
     * @param before by the sample's id, one a sample, as {@link Pairing} makes sure
     * @param after the same of others
     * @throws PrpfException 65 for a malformed prediction without its response
     */
    public Comparison compare(
            List<Sample> gold, FunctionPool pool, Map<String, Prediction> before, Map<String, Prediction> after) {
        Scorer scorer = new Scorer(null, judge, bootstrap);
        List<SampleScore> first = scorer.samples(gold, before, pool);
        List<SampleScore> second = scorer.samples(gold, after, pool);
        Map<String, @Nullable Row> rows = new LinkedHashMap<>();
        rows.put("reward", row(rewards(gold, before), rewards(gold, after)));
        for (Metric metric : METRICS) {
            int[] counted = IntStream.range(0, gold.size())
                    .filter(i -> metric.counts(first.get(i)) && metric.counts(second.get(i)))
                    .toArray();
            rows.put(metric.key(), row(percent(metric, counted, first), percent(metric, counted, second)));
        }
        rows.put("malformed", row(malformed(first), malformed(second)));
        return new Comparison(gold.size(), bootstrap.resamples(), bootstrap.seed(), rows);
    }

    /** Null of no samples; the values before and after are of the same samples. */
    private @Nullable Row row(double[] before, double[] after) {
        int n = before.length;
        if (n == 0) {
            return null;
        }
        double[] differences = MathArrays.ebeSubtract(after, before);
        Interval interval = bootstrap
                .ofSamples(n, times -> new double[] {
                    IntStream.range(0, n)
                                    .mapToDouble(i -> times[i] * differences[i])
                                    .sum()
                            / n
                })
                .get(0);
        double first = Arrays.stream(before).sum() / n;
        double second = Arrays.stream(after).sum() / n;
        return new Row(n, first, second, second - first, Objects.requireNonNull(interval));
    }

    private static double[] percent(Metric metric, int[] counted, List<SampleScore> scores) {
        return IntStream.of(counted)
                .mapToDouble(i -> 100 * metric.value(scores.get(i)))
                .toArray();
    }

    private static double[] malformed(List<SampleScore> scores) {
        return scores.stream().mapToDouble(score -> score.malformed() ? 100 : 0).toArray();
    }

    private double[] rewards(List<Sample> gold, Map<String, Prediction> predictions) {
        return gold.stream()
                .mapToDouble(
                        sample -> reward(sample, Objects.requireNonNull(predictions.get(sample.id()), sample.id())))
                .toArray();
    }

    /** A prediction without a text is rewarded by its calls. */
    private double reward(Sample sample, Prediction prediction) {
        if (prediction.response() != null) {
            return reward.score(sample, prediction.response(), ResponseForm.of(reasoning, sample.modality()))
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
     * Two sets of predictions of the same samples, metric by metric; what {@code eval compare --json} prints.
     *
     * @param n samples
     * @param resamples draws behind the intervals
     * @param seed of the draws
     * @param rows by the metric's key; null where no sample counts
     */
    public record Comparison(int n, int resamples, long seed, @JsonAnyGetter Map<String, @Nullable Row> rows) {
        public Comparison {
            rows = Collections.unmodifiableMap(new LinkedHashMap<>(rows));
        }
    }

    /**
     * One metric.
     *
     * @param n samples that it counts
     * @param before of the first predictions
     * @param after of the second ones
     * @param difference after less before
     * @param interval of the difference: samples are drawn with replacement, each with both of its predictions
     */
    public record Row(int n, double before, double after, double difference, @JsonProperty("ci") Interval interval) {}
}
