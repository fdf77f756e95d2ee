package dev.prpf.mpp.threshold;

import dev.prpf.base.config.Rule;
import dev.prpf.mpp.gate.ConfusionMatrix;

/** How a run's threshold is chosen. */
public sealed interface ThresholdRule permits ThresholdRule.OnDev, LearnThenTest {
    /** The rule in words, kept with the threshold. */
    String constraint();

    /** A rule of the dev samples alone. What holds on dev need not hold on data to come. */
    sealed interface OnDev extends ThresholdRule {}

    /** The most specific τ whose recall is at least this percentage of the acting samples (the paper's rule, with 90). */
    record MinRecall(double minRecall) implements OnDev {
        public MinRecall {
            requirePercent("min-recall", minRecall);
        }

        @Override
        public String constraint() {
            return "recall >= " + number(minRecall);
        }
    }

    /** The τ of most recall whose false-trigger rate, 100 - specificity, is at most this percentage of the silent samples. */
    record MaxFalseTriggers(double percent) implements OnDev {
        public MaxFalseTriggers {
            requirePercent("max-ftr", percent);
        }

        @Override
        public String constraint() {
            return "ftr <= " + number(percent);
        }

        /** Whether counts keep the limit. 100 - specificity is off by a rounding and would refuse a rate of just the limit. */
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

    /** A number without the decimals it does not need. */
    static String number(double value) {
        return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
    }
}
