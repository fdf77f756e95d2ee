package dev.prpf.mpp.command;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.mpp.threshold.LearnThenTest;
import dev.prpf.mpp.threshold.ThresholdRule;
import dev.prpf.mpp.threshold.TriggerThreshold;
import dev.prpf.mpp.threshold.TriggerThreshold.Risk;
import java.util.Optional;
import java.util.function.DoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the threshold rule, at most one; by default the run's configuration decides (threshold.min-recall). */
final class ThresholdOptions {
    @Option(names = "--min-recall", paramLabel = "PERCENT", description = "Most specific with this recall on dev.")
    private @Nullable Double minRecall;

    @Option(
            names = "--max-ftr",
            paramLabel = "PERCENT",
            description = "Most recall with this false-trigger rate on dev.")
    private @Nullable Double maxFtr;

    @Option(names = "--tau", paramLabel = "T", description = "Use this threshold and report its metrics.")
    private @Nullable Double tau;

    @Option(names = "--paper", description = "Use the paper's threshold, 0.78, and report its metrics.")
    private boolean paper;

    @Option(
            names = "--bound-ftr",
            paramLabel = "PERCENT",
            description = "Most recall with a false-trigger rate bounded at --confidence on exchangeable data, by the"
                    + " calibration samples (calibration.share of the training).")
    private @Nullable Double boundFtr;

    @Option(
            names = "--bound-miss",
            paramLabel = "PERCENT",
            description = "Most specific with a share of missed interventions bounded in the same way.")
    private @Nullable Double boundMiss;

    /** Returns whether the rule is a bound, which has a confidence. */
    boolean isBound() {
        return boundFtr != null || boundMiss != null;
    }

    /**
     * @param confidence percent, for a bound
     * @throws PrpfException 2 for a value out of range
     */
    ThresholdRule rule(double confidence) {
        return Stream.of(
                        rule("--min-recall", minRecall, ThresholdRule.MinRecall::new),
                        rule("--max-ftr", maxFtr, ThresholdRule.MaxFalseTriggers::new),
                        rule("--tau", tau, ThresholdRule.Fixed::new),
                        rule("--paper", paper ? TriggerThreshold.PAPER : null, ThresholdRule.Fixed::new),
                        rule("--bound-ftr", boundFtr, bound -> new LearnThenTest(Risk.FTR, bound, confidence)),
                        rule("--bound-miss", boundMiss, bound -> new LearnThenTest(Risk.MISS, bound, confidence)))
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow(() ->
                        new UsageException("--paper=false chooses no rule; name a rule or leave all of them out"));
    }

    private static Optional<ThresholdRule> rule(
            String option, @Nullable Double value, DoubleFunction<ThresholdRule> rule) {
        try {
            return Optional.ofNullable(value).map(rule::apply);
        } catch (IllegalArgumentException e) {
            throw new UsageException(option + " = " + value + ": " + e.getMessage());
        }
    }
}
