package dev.prpf.mpp.calibration;

import dev.prpf.mpp.network.definition.JointLoss;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.TreeMap;
import org.apache.commons.math3.optim.MaxEval;
import org.apache.commons.math3.optim.nonlinear.scalar.GoalType;
import org.apache.commons.math3.optim.univariate.BrentOptimizer;
import org.apache.commons.math3.optim.univariate.SearchInterval;
import org.apache.commons.math3.optim.univariate.UnivariateObjectiveFunction;

/** The method that calibrates p_trigger on the dev split; {@code calibration.method} of the configuration. */
public enum CalibrationMethod {
    /** No calibration, as in the paper. */
    NONE,
    /** Temperature scaling: the T of least negative log-likelihood. */
    TEMPERATURE,
    /**
     * The non-decreasing function of least squared error, by pooling adjacent violators; knots at the pools' mean logits. Samples with equal
     * logits are pooled first.
     */
    ISOTONIC;

    private static final double WIDEST = 5; // T from 1 / 148 to 148

    /** Fits on the dev split. Both arrays have shape (n): trigger logits, and whether each sample wants an intervention; both classes occur. */
    public ProbabilityCalibration fit(double[] logits, boolean[] acts) {
        return switch (this) {
            case NONE -> new ProbabilityCalibration.None();
            case TEMPERATURE -> temperature(logits, acts);
            case ISOTONIC -> isotonic(logits, acts);
        };
    }

    private static ProbabilityCalibration temperature(double[] logits, boolean[] acts) {
        BrentOptimizer optimizer = new BrentOptimizer(1e-8, 1e-10);
        UnivariateObjectiveFunction loss =
                new UnivariateObjectiveFunction(logT -> negativeLogLikelihood(logits, acts, Math.exp(logT)));
        SearchInterval range = new SearchInterval(-WIDEST, WIDEST, 0);
        double best = optimizer
                .optimize(new MaxEval(500), GoalType.MINIMIZE, loss, range)
                .getPoint();
        return new ProbabilityCalibration.Temperature(Math.exp(best));
    }

    private static ProbabilityCalibration isotonic(double[] logits, boolean[] acts) {
        TreeMap<Double, Pool> ofLogit = new TreeMap<>();
        for (int i = 0; i < logits.length; i++) {
            ofLogit.merge(logits[i], new Pool(1, logits[i], acts[i] ? 1 : 0), Pool::join);
        }
        Deque<Pool> pools = new ArrayDeque<>();
        for (Pool equal : ofLogit.values()) {
            Pool pool = equal;
            while (!pools.isEmpty() && pools.getLast().mustJoin(pool)) {
                pool = pools.removeLast().join(pool);
            }
            pools.addLast(pool);
        }
        return new ProbabilityCalibration.Isotonic(
                pools.stream().map(Pool::meanLogit).toList(),
                pools.stream().map(Pool::share).toList());
    }

    /** Mean of -log p of the right class under σ(logit / T). */
    static double negativeLogLikelihood(double[] logits, boolean[] acts, double temperature) {
        double sum = 0;
        for (int i = 0; i < logits.length; i++) {
            sum += JointLoss.softplus((acts[i] ? -1 : 1) * logits[i] / temperature);
        }
        return sum / logits.length;
    }

    /** Neighbouring samples that share a probability. */
    private record Pool(int n, double logitSum, int acting) {
        double meanLogit() {
            return logitSum / n;
        }

        double share() {
            return (double) acting / n;
        }

        boolean mustJoin(Pool above) {
            return share() >= above.share() || meanLogit() >= above.meanLogit();
        }

        Pool join(Pool above) {
            return new Pool(n + above.n, logitSum + above.logitSum, acting + above.acting);
        }
    }
}
