package dev.prpf.mpp.threshold;

import dev.prpf.base.config.Rule;
import dev.prpf.mpp.gate.ConfusionMatrix;

/** The rule that chooses a run's threshold. */
public sealed interface ThresholdRule permits ThresholdRule.OnDev, LearnThenTest {
    /** The rule in words, stored with the threshold. */
    String constraint();

    /** A rule on the dev samples only. It need not hold on new data. */
    sealed interface OnDev extends ThresholdRule {}

    /** The most specific τ with at least this recall in percent (the paper's rule, with 90). */
    record MinRecall(double minRecall) implements OnDev {
        public MinRecall {
            requirePercent("min-recall", minRecall);
        }

        @Override
        public String constraint() {
            return "recall >= " + number(minRecall);
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

        /** Returns whether counts keep the limit. 100 - specificity has a rounding error and would reject a rate equal to the limit. */
        boolean holds(ConfusionMatrix counts) {
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
    }

    private static void requirePercent(String key, double percent) {
        Rule.require(percent >= 0 && percent <= 100, key, percent, "from 0 to 100");
    }

    /** Formats a number without needless decimals. */
    static String number(double value) {
        return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
    }
}
