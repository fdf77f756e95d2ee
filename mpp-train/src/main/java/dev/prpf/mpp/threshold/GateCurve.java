package dev.prpf.mpp.threshold;

import dev.prpf.base.error.PrpfException.GateFailedException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.threshold.TriggerThreshold.Point;
import dev.prpf.mpp.threshold.TriggerThreshold.RiskControl;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Computes the gate's recall and specificity on labelled samples for each candidate τ. */
final class GateCurve {
    private final double[] pTrigger;
    private final boolean[] acts;
    private final List<Point> points;

    /**
     * @param pTrigger shape (n)
     * @param acts whether each sample wants an intervention, shape (n)
     */
    GateCurve(double[] pTrigger, boolean[] acts) {
        this.pTrigger = pTrigger;
        this.acts = acts;
        points = DoubleStream.of(grid()).mapToObj(this::at).toList();
    }

    /** Returns all candidate τ: 0.05 to 0.95 in steps of 0.01. */
    static double[] grid() {
        return IntStream.rangeClosed(5, 95)
                .mapToDouble(percent -> percent / 100.0)
                .toArray();
    }

    ConfusionMatrix counts(double tau) {
        return ConfusionMatrix.at(tau, pTrigger, acts);
    }

    /** Returns the point of any τ; throws 65 if a class is empty. */
    Point at(double tau) {
        ConfusionMatrix counts = counts(tau);
        Double recall = counts.recall();
        Double specificity = counts.specificity();
        if (recall == null || specificity == null) {
            throw new InvalidDataException("a threshold cannot be evaluated on " + counts.acting() + " acting and "
                    + counts.silent() + " silent samples: some of both are needed");
        }
        return new Point(tau, recall, specificity);
    }

    /**
     * Chooses the allowed τ with the largest merit, ties to the larger τ, so to the quieter gate; throws 11 if no τ is allowed.
     *
     * @param limited the metric that the rule limits, for the message
     */
    TriggerThreshold best(
            ThresholdRule rule,
            Predicate<Point> allowed,
            ToDoubleFunction<Point> merit,
            ToDoubleFunction<Point> limited) {
        return points.stream()
                .filter(allowed)
                .max(Comparator.comparingDouble(merit).thenComparingDouble(Point::tau))
                .map(best -> threshold(rule, best.tau(), null))
                .orElseThrow(() -> new GateFailedException("no threshold from 0.05 to 0.95 has " + rule.constraint()
                        + "; nearest: "
                        + points.stream()
                                .max(Comparator.comparingDouble(limited))
                                .orElseThrow()
                        + ". Train further, or relax the constraint"));
    }

    TriggerThreshold threshold(ThresholdRule rule, double tau, @Nullable RiskControl riskControl) {
        Point point = at(tau);
        return new TriggerThreshold(
                tau, point.recall(), point.specificity(), rule.constraint(), points, riskControl, null);
    }
}
