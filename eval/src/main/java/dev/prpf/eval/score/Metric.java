package dev.prpf.eval.score;

import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A headline metric: the mean of a value over the samples it counts, in percent (PRPF eq. 28-30 and Appendix B.3). */
@SuppressWarnings("ImmutableEnumChecker") // the functions have no state
public enum Metric implements Labelled {
    /** Function-name sequence accuracy, eq. 28. */
    TYPE_ACC("Type-Acc", score -> true, score -> score.match().exact() ? 1 : 0),
    /** Success rate (PRPF equation 29), over the samples that the judge did not abstain on. */
    SR("SR", score -> !score.abstained(), score -> score.success() ? 1 : 0),
    /** Success rate over the samples that want intervention; not in the papers. */
    SR_ACT("SR acting", score -> score.wantsIntervention() && !score.abstained(), score -> score.success() ? 1 : 0),
    /** Share of acting samples with a response that calls only functions of the best-matched answer, at least one; not in the papers. */
    NAMES_ACT(
            "Names acting",
            SampleScore::wantsIntervention,
            score -> score.acts() && score.match().overlap().precision() == 1 ? 1 : 0),
    /** False trigger rate, eq. 30, over the samples with silence as the only answer. */
    FTR("FTR", score -> !score.wantsIntervention(), score -> score.acts() ? 1 : 0),
    /** False trigger rate over the samples with silence as best-matched answer, the published rows' denominator. */
    FTR_MATCHED("FTR matched", score -> score.match().isSilence(), score -> score.acts() ? 1 : 0),
    /** Mean precision of name sets. */
    PRECISION("P", score -> true, score -> score.match().overlap().precision()),
    /** Mean recall of name sets. */
    RECALL("R", score -> true, score -> score.match().overlap().recall()),
    /** Mean of each sample's F1 of name sets. */
    F1("F1", score -> true, score -> score.match().overlap().f1());

    private final String label;
    private final Predicate<SampleScore> counted;
    private final ToDoubleFunction<SampleScore> value;

    Metric(String label, Predicate<SampleScore> counted, ToDoubleFunction<SampleScore> value) {
        this.label = label;
        this.counted = counted;
        this.value = value;
    }

    @Override
    public String label() {
        return label;
    }

    /** Returns the metric with a key of {@code eval score --json}. */
    public static Optional<Metric> ofKey(String key) {
        return Stream.of(values()).filter(metric -> metric.key().equals(key)).findFirst();
    }

    /** Returns whether higher values are better. */
    public boolean higherIsBetter() {
        return this != FTR && this != FTR_MATCHED;
    }

    /** Returns the label with an arrow towards better values. */
    public String directed() {
        return label + (higherIsBetter() ? " ↑" : " ↓");
    }

    /** Returns whether values of two systems cover the same samples, except where a judge abstains. */
    public boolean comparable() {
        return this != FTR_MATCHED;
    }

    /** Returns whether each sample is either right or wrong by this metric. */
    public boolean binary() {
        return this != PRECISION && this != RECALL && this != F1;
    }

    /** Returns whether the sample belongs to this metric's denominator. */
    public boolean counts(SampleScore score) {
        return counted.test(score);
    }

    /** Returns the metric over the counted samples in percent; null without any. */
    @Nullable
    Double mean(List<SampleScore> scores) {
        DoubleSummaryStatistics counted =
                scores.stream().filter(this::counts).mapToDouble(this::value).summaryStatistics();
        return counted.getCount() == 0 ? null : (Double) (100 * counted.getSum() / counted.getCount());
    }

    /** Returns the sample's value in percent; NaN if the metric does not count it. */
    public double percent(SampleScore score) {
        return counts(score) ? 100 * value(score) : Double.NaN;
    }

    /** Returns the sample's value, in [0, 1]. */
    public double value(SampleScore score) {
        return value.applyAsDouble(score);
    }
}
