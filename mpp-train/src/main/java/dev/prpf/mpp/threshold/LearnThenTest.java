package dev.prpf.mpp.threshold;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.GateFailedException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.statistics.ClopperPearson;
import dev.prpf.mpp.perceive.LabelledPerceptions;
import dev.prpf.mpp.threshold.TriggerThreshold.Risk;
import dev.prpf.mpp.threshold.TriggerThreshold.RiskControl;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Learn then Test (Angelopoulos, Bates, Candès, Jordan and Lei, arXiv 2110.01052) for the gate. Each τ of the grid is the hypothesis "the
 * risk is above the bound". It is rejected if the exact binomial upper bound (Clopper-Pearson) at error (1 - confidence) / grid is at most
 * the bound. By the Bonferroni correction all bounds hold at once, so any rule may pick a rejected τ, even on this data. The risk's samples
 * must be exchangeable with future ones and unseen by training, stopping and calibration.
 *
 * @param risk the error rate to bound
 * @param bound percent, in (0, 100)
 * @param confidence percent, in (0, 100)
 */
public record LearnThenTest(Risk risk, double bound, double confidence) implements ThresholdRule {
    private static final int MAX_SAMPLES = 10_000_000;

    public LearnThenTest {
        Rule.require(bound > 0 && bound < 100, "bound", bound, "between 0 and 100 percent");
        Rule.require(confidence > 0 && confidence < 100, "confidence", confidence, "between 0 and 100 percent");
    }

    /** The samples of the bound, unseen by training, stopping and calibration, with the SHA-256 of their file. */
    public record Samples(LabelledPerceptions perceptions, String sha256) {}

    /**
     * Chooses the best τ on dev among those with bounded risk. Best is most recall under a bounded false-trigger rate, or most specific under
     * bounded misses. Ties go to the lower bound, then to the larger
     * τ.
     */
    @Override
    public TriggerThreshold choose(LabelledPerceptions dev, Supplier<Samples> calibration) {
        GateCurve curve = new GateCurve(dev.pTrigger(), dev.acts());
        Samples samples = calibration.get();
        double[] grid = GateCurve.grid();
        ToDoubleFunction<TriggerThreshold.Point> merit =
                risk == Risk.FTR ? TriggerThreshold.Point::recall : TriggerThreshold.Point::specificity;
        Tested best = Collections.min(
                bounded(grid, samples.perceptions.pTrigger(), samples.perceptions.acts()),
                Comparator.comparingDouble((Tested one) -> -merit.applyAsDouble(curve.at(one.tau)))
                        .thenComparingDouble(Tested::upper)
                        .thenComparingDouble(one -> -one.tau));
        RiskControl control = new RiskControl(
                risk, bound, confidence, best.upper, best.samples, best.errors, grid.length, samples.sha256);
        return curve.threshold(this, best.tau, control);
    }

    /** A tested τ: errors on the class's samples, and the simultaneous upper confidence bound of their rate, percent. */
    public record Tested(double tau, int errors, int samples, double upper) {}

    /**
     * Returns the τ of the grid with bounded risk.
     *
     * @param grid all candidate τ, fixed before the samples were seen
     * @param pTrigger of the calibration samples, shape (n)
     * @param acts whether each wants an intervention, shape (n)
     * @return at least one, in the grid's order
     * @throws PrpfException 65, with the number needed, if the class has too few samples for any bound; 11 if no τ is bounded
     */
    List<Tested> bounded(double[] grid, double[] pTrigger, boolean[] acts) {
        double[] own = IntStream.range(0, acts.length)
                .filter(i -> risk.counts(acts[i]))
                .mapToDouble(i -> pTrigger[i])
                .toArray();
        int least = leastSamples(grid.length);
        if (own.length < least) {
            throw new InvalidDataException(String.format(
                    Locale.ROOT,
                    "the calibration split holds %d %s samples: too few for %s, which needs at least %d of them even"
                            + " without an error; raise calibration.share, give more data, or relax the bound",
                    own.length,
                    risk.over(),
                    constraint(),
                    least));
        }
        List<Tested> tested = DoubleStream.of(grid)
                .mapToObj(tau -> test(tau, own, grid.length))
                .toList();
        List<Tested> bounded =
                tested.stream().filter(point -> point.upper() <= bound).toList();
        if (bounded.isEmpty()) {
            throw new GateFailedException(failure(tested, grid.length));
        }
        return bounded;
    }

    private Tested test(double tau, double[] own, int hypotheses) {
        int errors = (int) DoubleStream.of(own).filter(p -> risk.errs(p, tau)).count();
        return new Tested(tau, errors, own.length, 100 * ClopperPearson.upper(errors, own.length, error(hypotheses)));
    }

    private double error(int hypotheses) {
        return (1 - confidence / 100) / hypotheses;
    }

    /** Returns the minimum number of the class's calibration samples that can show the bound. */
    public int leastSamples() {
        return leastSamples(GateCurve.grid().length);
    }

    /** Returns the minimum number of samples that bounds a τ without errors: (1 - bound)^n <= error. */
    int leastSamples(int hypotheses) {
        return (int) Math.ceil(Math.log(error(hypotheses)) / Math.log1p(-bound / 100) - 1e-9);
    }

    private String failure(List<Tested> tested, int hypotheses) {
        Tested nearest =
                tested.stream().min(Comparator.comparingDouble(Tested::upper)).orElseThrow();
        double rate = (double) nearest.errors() / nearest.samples();
        return String.format(
                Locale.ROOT,
                "no threshold has %s; nearest: tau %.2f with %d errors in %d %s samples, upper bound %.2f. %s",
                constraint(),
                nearest.tau(),
                nearest.errors(),
                nearest.samples(),
                risk.over(),
                nearest.upper(),
                100 * rate >= bound
                        ? "Its own rate is above the bound: train further, or relax the bound"
                        : "At this error rate about " + samplesNeeded(rate, hypotheses) + " samples would be enough");
    }

    /** Returns the number of samples, within 1 percent, that bounds a τ of this error rate. */
    private int samplesNeeded(double rate, int hypotheses) {
        return IntStream.iterate(1, n -> n < MAX_SAMPLES, n -> n + 1 + n / 100)
                .filter(n -> {
                    long errors = (long) Math.ceil(rate * n);
                    return errors < n && 100 * ClopperPearson.upper((double) errors, n, error(hypotheses)) <= bound;
                })
                .findFirst()
                .orElse(MAX_SAMPLES);
    }

    @Override
    public String constraint() {
        return risk.label() + " <= " + ThresholdRule.number(bound) + " with confidence "
                + ThresholdRule.number(confidence);
    }
}
