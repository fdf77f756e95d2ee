package dev.prpf.mpp.command;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.mpp.threshold.LearnThenTest;
import dev.prpf.mpp.threshold.Risk;
import dev.prpf.mpp.threshold.ThresholdRule;
import dev.prpf.mpp.threshold.TriggerThreshold;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The rule that a command line names by at most one option; without any the run's configuration decides (threshold.min-recall). */
final class ThresholdOptions {
    @Option(names = "--min-recall", paramLabel = "PERCENT", description = "Most specific with this recall on dev.")
    private @Nullable Double minRecall;

    @Option(
            names = "--max-ftr",
            paramLabel = "PERCENT",
            description = "Most recall with this false-trigger rate on dev.")
    private @Nullable Double maxFtr;

    @Option(names = "--tau", paramLabel = "T", description = "This threshold, judged and kept.")
    private @Nullable Double tau;

    @Option(names = "--paper", description = "The paper's threshold, 0.78, judged and kept.")
    private boolean paper;

    @Option(
            names = "--bound-ftr",
            paramLabel = "PERCENT",
            description =
                    "Most recall whose false-trigger rate is bounded with --confidence on exchangeable data, from the"
                            + " calibration samples (calibration.share of the training).")
    private @Nullable Double boundFtr;

    @Option(
            names = "--bound-miss",
            paramLabel = "PERCENT",
            description = "Most specific whose share of missed interventions is bounded, likewise.")
    private @Nullable Double boundMiss;

    /** Whether a bound is asked for, which has a confidence. */
    boolean bounds() {
        return boundFtr != null || boundMiss != null;
    }

    /**
     * The rule.
     *
     * @param confidence percent, for a bound
     * @throws PrpfException 2 for a value out of range
     */
    ThresholdRule rule(double confidence) {
        if (minRecall != null) {
            return new ThresholdRule.MinRecall(percent("--min-recall", minRecall));
        }
        if (maxFtr != null) {
            return new ThresholdRule.MaxFalseTriggers(percent("--max-ftr", maxFtr));
        }
        if (tau != null) {
            if (!(tau >= 0 && tau <= 1)) {
                throw new UsageException("--tau = " + tau + ", must lie in [0, 1]");
            }
            return new ThresholdRule.Fixed(tau);
        }
        if (boundFtr != null) {
            return bounded("--bound-ftr", Risk.FTR, boundFtr, confidence);
        }
        if (boundMiss != null) {
            return bounded("--bound-miss", Risk.MISS, boundMiss, confidence);
        }
        if (!paper) {
            throw new UsageException("--paper=false chooses nothing; name a rule or leave all of them out");
        }
        return new ThresholdRule.Fixed(TriggerThreshold.PAPER);
    }

    private static ThresholdRule bounded(String option, Risk risk, double bound, double confidence) {
        try {
            return new LearnThenTest(risk, bound, confidence);
        } catch (IllegalArgumentException e) {
            throw new UsageException(option + ", --confidence: " + e.getMessage());
        }
    }

    private static double percent(String option, double value) {
        if (!(value >= 0 && value <= 100)) {
            throw new UsageException(option + " = " + value + ", must be a percentage from 0 to 100");
        }
        return value;
    }
}
