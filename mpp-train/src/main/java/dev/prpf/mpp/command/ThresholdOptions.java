package dev.prpf.mpp.command;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.mpp.threshold.LearnThenTest;
import dev.prpf.mpp.threshold.Risk;
import dev.prpf.mpp.threshold.ThresholdRule;
import dev.prpf.mpp.threshold.TriggerThreshold;
import java.util.function.DoubleFunction;
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
     * @param confidence percent, for a bound
     * @throws PrpfException 2 for a value out of range
     */
    ThresholdRule rule(double confidence) {
        if (minRecall != null) {
            return rule("--min-recall", minRecall, ThresholdRule.MinRecall::new);
        }
        if (maxFtr != null) {
            return rule("--max-ftr", maxFtr, ThresholdRule.MaxFalseTriggers::new);
        }
        if (tau != null) {
            return rule("--tau", tau, ThresholdRule.Fixed::new);
        }
        if (boundFtr != null) {
            return rule("--bound-ftr", boundFtr, bound -> new LearnThenTest(Risk.FTR, bound, confidence));
        }
        if (boundMiss != null) {
            return rule("--bound-miss", boundMiss, bound -> new LearnThenTest(Risk.MISS, bound, confidence));
        }
        if (!paper) {
            throw new UsageException("--paper=false chooses nothing; name a rule or leave all of them out");
        }
        return new ThresholdRule.Fixed(TriggerThreshold.PAPER);
    }

    private static ThresholdRule rule(String option, double value, DoubleFunction<ThresholdRule> rule) {
        try {
            return rule.apply(value);
        } catch (IllegalArgumentException e) {
            throw new UsageException(option + " = " + value + ": " + e.getMessage());
        }
    }
}
