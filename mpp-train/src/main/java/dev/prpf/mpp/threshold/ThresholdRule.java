package dev.prpf.mpp.threshold;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.mpp.gate.ConfusionMatrix;
import dev.prpf.mpp.perceive.LabelledPerceptions;
import dev.prpf.mpp.threshold.TriggerThreshold.Point;
import java.util.function.Supplier;

/** The rule that chooses a run's threshold. */
public sealed interface ThresholdRule permits ThresholdRule.OnDev, LearnThenTest {
    /** The rule in words, stored with the threshold. */
    String constraint();

    /**
     * Chooses τ from 0.05 to 0.95 in steps of 0.01, with the curve on dev.
     *
     * @param calibration reads samples that training, stopping and calibration did not see; called only for a bound
     * @throws PrpfException 11 if no τ satisfies the rule, 65 if a class is empty or too small
     */
    TriggerThreshold choose(LabelledPerceptions dev, Supplier<LearnThenTest.Samples> calibration);

    /** A rule on the dev samples only. It need not hold on new data. */
    sealed interface OnDev extends ThresholdRule {
        /**
         * Chooses τ, ties to the larger.
         *
         * @param pTrigger shape (n)
         * @param acts whether each sample wants an intervention, shape (n)
         * @throws PrpfException 11 if no τ satisfies the rule, 65 if a class is empty
         */
        TriggerThreshold choose(double[] pTrigger, boolean[] acts);

        @Override
        default TriggerThreshold choose(LabelledPerceptions dev, Supplier<LearnThenTest.Samples> calibration) {
            return choose(dev.pTrigger(), dev.acts());
        }
    }

    /** The most specific τ with at least this recall in percent (the paper's rule, with 90). */
    record MinRecall(double minRecall) implements OnDev {
        public MinRecall {
            requirePercent("min-recall", minRecall);
        }

        @Override
        public String constraint() {
            return "recall >= " + number(minRecall);
        }

        @Override
        public TriggerThreshold choose(double[] pTrigger, boolean[] acts) {
            return new GateCurve(pTrigger, acts)
                    .best(this, point -> point.recall() >= minRecall, Point::specificity, Point::recall);
        }
    }

    /** The τ of most recall with at most this false-trigger rate, 100 - specificity, in percent. */
    record MaxFalseTriggers(double percent) implements OnDev {
        public MaxFalseTriggers {
            requirePercent("max-ftr", percent);
        }

        @Override
        public String constraint() {
            return "ftr <= " + number(percent);
        }

        @Override
        public TriggerThreshold choose(double[] pTrigger, boolean[] acts) {
            GateCurve curve = new GateCurve(pTrigger, acts);
            return curve.best(this, point -> holds(curve.counts(point.tau())), Point::recall, Point::specificity);
        }

        /** Returns whether counts keep the limit. 100 - specificity has a rounding error and would reject a rate equal to the limit. */
        private boolean holds(ConfusionMatrix counts) {
            Double rate = counts.falseTriggerRate();
            return rate != null && rate <= percent;
        }
    }

    /** A given τ in [0, 1]. */
    record Fixed(double tau) implements OnDev {
        public Fixed {
            Rule.require(tau >= 0 && tau <= 1, "tau", tau, "in [0, 1]");
        }

        @Override
        public String constraint() {
            return "tau = " + tau;
        }

        @Override
        public TriggerThreshold choose(double[] pTrigger, boolean[] acts) {
            return new GateCurve(pTrigger, acts).threshold(this, tau, null);
        }
    }

    private static void requirePercent(String key, double percent) {
        Rule.require(percent >= 0 && percent <= 100, key, percent, "from 0 to 100");
    }

    /** Formats a number without needless decimals. */
    static String number(double value) {
        return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
    }
}
