package dev.prpf.mpp.threshold;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.GateFailedException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.report.Block;
import dev.prpf.base.report.LineChart;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.perceive.LabelledPerceptions;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The gate's threshold τ with the curve it was chosen from (PRPF B.1): an intervention is due iff p_trigger >= τ. Recall and specificity are
 * percentages, on dev.
 *
 * @param curve one point for each τ tried
 * @param riskControl guarantee for τ, or null without a bound
 * @param modelSha256 checksum of the weights that it was chosen with ({@link dev.prpf.mpp.perceive.MppModel#weightsSha256}); null outside a
 *     run
 */
public record TriggerThreshold(
        double threshold,
        double recall,
        double specificity,
        String constraint,
        List<Point> curve,
        @JsonProperty("guarantee") @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable RiskControl riskControl,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String modelSha256) {
    /** The τ of PRPF B.1, chosen on the paper's data. */
    public static final double PAPER = 0.78;

    private static final int FIRST = 5;
    private static final int LAST = 95;

    public TriggerThreshold {
        requireWithin("threshold", threshold, 1);
        requireWithin("recall", recall, 100);
        requireWithin("specificity", specificity, 100);
        Objects.requireNonNull(constraint, "constraint is missing");
        curve = List.copyOf(Objects.requireNonNull(curve, "curve is missing"));
    }

    private static void requireWithin(String key, double value, int most) {
        Rule.require(value >= 0 && value <= most, key, value, "in [0, " + most + "]");
    }

    /** Returns this threshold with the checksum of its weights. */
    public TriggerThreshold of(@Nullable String weightsSha256) {
        return new TriggerThreshold(threshold, recall, specificity, constraint, curve, riskControl, weightsSha256);
    }

    /** One τ with recall and specificity, in percent. */
    public record Point(double tau, double recall, double specificity) {
        public Point {
            requireWithin("tau", tau, 1);
            requireWithin("recall", recall, 100);
            requireWithin("specificity", specificity, 100);
        }

        private static Point of(double tau, double[] pTrigger, boolean[] acts) {
            ConfusionMatrix counts = ConfusionMatrix.at(tau, pTrigger, acts);
            Double recall = counts.recall();
            Double specificity = counts.specificity();
            if (recall == null || specificity == null) {
                throw new InvalidDataException("a threshold cannot be evaluated on " + counts.acting() + " acting and "
                        + counts.silent() + " silent samples: some of both are needed");
            }
            return new Point(tau, recall, specificity);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT, "tau %.2f with recall %.2f and specificity %.2f", tau, recall, specificity);
        }
    }

    /** Returns all candidate τ: 0.05 to 0.95 in steps of 0.01. */
    public static double[] grid() {
        return IntStream.rangeClosed(FIRST, LAST)
                .mapToDouble(percent -> percent / 100.0)
                .toArray();
    }

    private static List<Point> curve(double[] pTrigger, boolean[] acts) {
        return DoubleStream.of(grid())
                .mapToObj(tau -> Point.of(tau, pTrigger, acts))
                .toList();
    }

    /**
     * Chooses τ from the {@link #grid}, ties to the larger, so to the quieter gate, by probabilities and whether each sample wants an intervention.
     *
     * @throws PrpfException 11 if no τ satisfies the rule, 65 if a class is empty
     */
    public static TriggerThreshold choose(double[] pTrigger, boolean[] acts, ThresholdRule.OnDev rule) {
        List<Point> curve = curve(pTrigger, acts);
        if (rule instanceof ThresholdRule.Fixed fixed) {
            return of(Point.of(fixed.tau(), pTrigger, acts), rule, curve, null);
        }
        boolean byRecall = rule instanceof ThresholdRule.MinRecall;
        Point best = curve.stream()
                .filter(point -> rule instanceof ThresholdRule.MinRecall least
                        ? point.recall() >= least.minRecall()
                        : ((ThresholdRule.MaxFalseTriggers) rule)
                                .holds(ConfusionMatrix.at(point.tau(), pTrigger, acts)))
                .max(Comparator.comparingDouble((Point point) -> byRecall ? point.specificity() : point.recall())
                        .thenComparingDouble(Point::tau))
                .orElseThrow(() -> new GateFailedException("no threshold from 0.05 to 0.95 has " + rule.constraint()
                        + "; nearest: "
                        + curve.stream()
                                .max(Comparator.comparingDouble(byRecall ? Point::recall : Point::specificity))
                                .orElseThrow()
                        + ". Train further, or relax the constraint"));
        return of(best, rule, curve, null);
    }

    private static TriggerThreshold of(
            Point point, ThresholdRule rule, List<Point> curve, @Nullable RiskControl riskControl) {
        return new TriggerThreshold(
                point.tau(), point.recall(), point.specificity(), rule.constraint(), curve, riskControl, null);
    }

    /**
     * Chooses the best τ on dev among those of the {@link #grid} with bounded risk. Best is most recall under a bounded false-trigger rate,
     * or most specific under bounded misses. Ties go to the lower bound, then to the larger τ.
     *
     * @param rule the risk and its bound
     * @param dev for recall, specificity and curve
     * @param calibration for the bound; the caller ensures that it is unseen
     * @param calibrationSha256 of its file
     * @throws PrpfException see {@link LearnThenTest#bounded}
     */
    public static TriggerThreshold choose(
            LearnThenTest rule, LabelledPerceptions dev, LabelledPerceptions calibration, String calibrationSha256) {
        double[] grid = grid();
        double[] pTrigger = dev.pTrigger();
        boolean[] acts = dev.acts();
        List<LearnThenTest.Tested> bounded = rule.bounded(grid, calibration.pTrigger(), calibration.acts());
        ToDoubleFunction<Point> merit = rule.risk() == Risk.FTR ? Point::recall : Point::specificity;
        LearnThenTest.Tested best = Collections.min(
                bounded,
                Comparator.comparingDouble(
                                (LearnThenTest.Tested one) -> -merit.applyAsDouble(Point.of(one.tau(), pTrigger, acts)))
                        .thenComparingDouble(LearnThenTest.Tested::upper)
                        .thenComparingDouble(one -> -one.tau()));
        Point bestPoint = Point.of(best.tau(), pTrigger, acts);
        RiskControl control = new RiskControl(
                rule.risk(),
                rule.bound(),
                rule.confidence(),
                best.upper(),
                best.samples(),
                best.errors(),
                grid.length,
                calibrationSha256);
        return of(bestPoint, rule, curve(pTrigger, acts), control);
    }

    /** Returns the curve as CSV with a header. */
    public String csv() {
        StringBuilder csv = new StringBuilder("tau,recall,specificity\n");
        curve.forEach(point -> csv.append(
                String.format(Locale.ROOT, "%.2f,%.4f,%.4f\n", point.tau(), point.recall(), point.specificity())));
        return csv.toString();
    }

    /** Draws the curve (PRPF Figure 5): recall and specificity over τ, percent, with a dashed line at the chosen τ. */
    public Block.Drawing drawing() {
        String caption = String.format(
                Locale.ROOT,
                "Recall and specificity of the gate over its threshold on the dev split, percent; dashed: the one"
                        + " chosen, %.2f",
                threshold);
        List<LineChart.Line> lines = List.of(
                LineChart.Line.of("recall", curve, Point::tau, Point::recall),
                LineChart.Line.of("specificity", curve, Point::tau, Point::specificity));
        LineChart.Axes axes = new LineChart.Axes("threshold τ", 0.0, 100.0, threshold);
        return new Block.Drawing(caption, LineChart.svg(caption, axes, lines));
    }

    /** Returns one line for reports: τ, its rule, its metrics on dev, and its risk bound. */
    public String sentence() {
        String chosen = String.format(
                Locale.ROOT,
                "tau %.2f (%s; on dev recall %.2f, specificity %.2f)",
                threshold,
                constraint,
                recall,
                specificity);
        return chosen + (riskControl == null ? ", no risk control" : "; risk control: " + riskControl.sentence());
    }
}
