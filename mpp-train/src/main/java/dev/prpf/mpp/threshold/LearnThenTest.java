package dev.prpf.mpp.threshold;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.GateFailedException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.statistics.ClopperPearson;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Learn then Test (Angelopoulos, Bates, Candès, Jordan and Lei, arXiv 2110.01052) for the gate: each τ of the grid is the hypothesis
 * "the risk is above the bound", rejected where the exact binomial upper bound (Clopper-Pearson) at error (1 - confidence) / grid lies at
 * or below it. The Bonferroni correction makes all bounds hold at once, so that the best of the rejected τ may be picked by any rule,
 * this data included. The risk's samples must be exchangeable with those to come and untouched by training, stopping and calibration of
 * probabilities.
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

    /**
     * One τ tested.
     *
     * @param tau the threshold
     * @param errors on the class's samples
     * @param samples of the class
     * @param upper simultaneous upper confidence bound, percent
     */
    public record Tested(double tau, int errors, int samples, double upper) {}

    /**
     * The τ of the grid whose risk is bounded.
     *
     * @param grid every τ that may be chosen, fixed before the samples were seen
     * @param pTrigger of the calibration samples, shape (n)
     * @param acts whether each wants an intervention, shape (n)
     * @return at least one, in the grid's order
     * @throws PrpfException 65 if the class has too few samples for any τ to be bounded, saying how many would do; 11 if no τ is
     */
    public List<Tested> bounded(double[] grid, double[] pTrigger, boolean[] acts) {
        int samples = 0;
        for (boolean act : acts) {
            samples += risk.counts(act) ? 1 : 0;
        }
        int least = leastSamples(grid.length);
        if (samples < least) {
            throw new InvalidDataException(String.format(
                    Locale.ROOT,
                    "the calibration split holds %d %s samples: too few for %s, which needs at least %d of them even"
                            + " if none is decided wrongly; raise calibration.share, give more data, or ask for less",
                    samples,
                    risk.over(),
                    constraint(),
                    least));
        }
        List<Tested> tested = new ArrayList<>();
        for (double tau : grid) {
            tested.add(test(tau, grid.length, samples, pTrigger, acts));
        }
        List<Tested> bounded =
                tested.stream().filter(point -> point.upper() <= bound).toList();
        if (bounded.isEmpty()) {
            throw new GateFailedException(failure(tested, grid.length));
        }
        return bounded;
    }

    private Tested test(double tau, int hypotheses, int samples, double[] pTrigger, boolean[] acts) {
        int errors = 0;
        for (int i = 0; i < acts.length; i++) {
            errors += risk.counts(acts[i]) && risk.errs(pTrigger[i], tau) ? 1 : 0;
        }
        return new Tested(tau, errors, samples, 100 * ClopperPearson.upper(errors, samples, error(hypotheses)));
    }

    private double error(int hypotheses) {
        return (1 - confidence / 100) / hypotheses;
    }

    /** The fewest samples of the class with which a τ without a single error is bounded: (1 - bound)^n <= error. */
    int leastSamples(int hypotheses) {
        return (int) Math.ceil(Math.log(error(hypotheses)) / Math.log1p(-bound / 100) - 1e-9);
    }

    private String failure(List<Tested> tested, int hypotheses) {
        Tested nearest = tested.get(0);
        for (Tested point : tested) {
            nearest = point.upper() < nearest.upper() ? point : nearest;
        }
        double rate = (double) nearest.errors() / nearest.samples();
        Integer needed = samplesNeeded(rate, hypotheses);
        return String.format(
                Locale.ROOT,
                "no threshold has %s; nearest: tau %.2f with %d errors in %d %s samples, upper bound %.2f. %s",
                constraint(),
                nearest.tau(),
                nearest.errors(),
                nearest.samples(),
                risk.over(),
                nearest.upper(),
                needed == null
                        ? "Its own rate is above the bound: train further, or ask for less"
                        : "At this error rate about " + needed + " samples would do");
    }

    /** About how many samples of the class bound a τ of this error rate; null if the rate itself is too high. */
    private @Nullable Integer samplesNeeded(double rate, int hypotheses) {
        if (100 * rate >= bound) {
            return null;
        }
        int low = 1;
        int high = 2;
        while (high < MAX_SAMPLES && !suffices(high, rate, hypotheses)) {
            low = high;
            high *= 2;
        }
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (suffices(middle, rate, hypotheses)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return high;
    }

    private boolean suffices(int samples, double rate, int hypotheses) {
        long errors = (long) Math.ceil(rate * samples);
        return errors < samples && 100 * ClopperPearson.upper(errors, samples, error(hypotheses)) <= bound;
    }

    @Override
    public String constraint() {
        return risk.label() + " <= " + ThresholdRule.number(bound) + " with confidence "
                + ThresholdRule.number(confidence);
    }
}
