package dev.prpf.mpp.command;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.mpp.tables.PerceiverReport;
import dev.prpf.mpp.tables.PerceiverTables;
import dev.prpf.mpp.tables.ThresholdReport;
import dev.prpf.mpp.tables.TopKRecall;
import dev.prpf.mpp.threshold.LearnThenTest;
import dev.prpf.mpp.threshold.ThresholdRule;
import dev.prpf.mpp.threshold.TriggerThreshold;
import dev.prpf.mpp.threshold.TriggerThreshold.Risk;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.mpp.training.TrainedRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Implements the command {@code prpf gate sweep}. */
@Command(
        name = "sweep",
        description = {
            "Choose the gate's threshold, from 0.05 to 0.95 in steps of 0.01, and save it with its curve"
                    + " (threshold.json, .csv, .svg). Write the perceiver's tables and plots (report.html, tables.json,"
                    + " SVG files): confusion matrix, metrics over seeds, recall of the top-K scenarios, ROC,"
                    + " precision-recall, reliability. Exit 11 when no threshold satisfies the rule."
        },
        footer = {
            "  ./prpf gate sweep --gate runs/gate --json",
            "  ./prpf gate sweep --gate runs/gate-seeds --shortlist 1..10",
            "  ./prpf gate sweep --gate runs/gate --bound-ftr 20 --confidence 90"
        })
final class ThresholdCommand implements Runnable {
    private static final double CONFIDENCE = 90;
    private static final Pattern RANGE = Pattern.compile("(\\d{1,4})\\.\\.(\\d{1,4})");
    private static final Pattern LIST = Pattern.compile("\\d{1,4}(,\\d{1,4})*");

    @Option(
            names = "--gate",
            required = true,
            paramLabel = "DIR",
            description = "Run of gate train; in a run with --seeds every seed gets a threshold by the same rule.")
    private Path run;

    @ArgGroup
    private @Nullable ThresholdOptions options;

    @Option(
            names = "--confidence",
            paramLabel = "PERCENT",
            description = "Confidence of --bound-ftr or --bound-miss (default: 90).")
    private @Nullable Double confidence;

    @Option(
            names = "--shortlist",
            paramLabel = "RANGE",
            description = "Lengths of the scenario shortlist, such as 1..10 or 1,3,5 (default: 1..10, at most the"
                    + " number of scenarios).")
    private @Nullable String shortlist;

    @Mixin
    private JsonOption output;

    @Override
    public void run() {
        if (confidence != null && (options == null || !options.isBound())) {
            throw new UsageException("--confidence = " + confidence
                    + " goes with --bound-ftr or --bound-miss; no other rule has a confidence");
        }
        List<Integer> requestedLengths = shortlist == null ? null : lengths(shortlist);
        MppRun swept = MppRun.of(run);
        boolean ofSeeds = swept instanceof MppRun.Seeds;
        swept.requireFinished();
        List<TrainedRun> runs = swept.runs();
        ThresholdRule rule = rule(runs.get(0));
        List<TriggerThreshold> thresholds =
                runs.stream().map(one -> one.choose(rule)).toList();
        PerceiverReport report = PerceiverReport.write(swept, thresholds, requestedLengths);
        String page = PerceiverReport.file(run).toString();
        TriggerThreshold first = thresholds.get(0);
        output.print(
                ofSeeds
                        ? new SweptSeeds(report.tables(), page)
                        : new Swept(
                                first.of(null),
                                requestedLengths == null
                                        ? null
                                        : report.tables().shortlist()),
                () -> (ofSeeds ? "" : ThresholdReport.sentence(first) + "\n") + report.text() + "see " + page);
    }

    /** The result of one run for {@code --json}; shortlist only with {@code --shortlist}. */
    private record Swept(
            @JsonUnwrapped TriggerThreshold threshold,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<TopKRecall> shortlist) {}

    /** The result of a training over seeds for {@code --json}. */
    private record SweptSeeds(@JsonUnwrapped PerceiverTables tables, String report) {}

    /** @throws PrpfException 2 if the text is not a range or list such as "1..10", "5" or "1,3,5" */
    static List<Integer> lengths(String text) {
        Matcher range = RANGE.matcher(text);
        List<Integer> lengths = range.matches()
                ? IntStream.rangeClosed(Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)))
                        .boxed()
                        .toList()
                : LIST.matcher(text).matches()
                        ? Stream.of(text.split(",", -1)).map(Integer::valueOf).toList()
                        : List.of();
        if (lengths.isEmpty() || lengths.contains(0)) {
            throw new UsageException("--shortlist = " + text
                    + ", must be a range such as 1..10 or a list such as 1,3,5 of numbers of at" + " least 1");
        }
        return lengths;
    }

    private ThresholdRule rule(TrainedRun configured) {
        return options == null
                ? configured.config().threshold()
                : options.rule(confidence == null ? CONFIDENCE : confidence);
    }

    /** Options for the threshold rule, at most one; by default the run's configuration decides (threshold.min-recall). */
    static final class ThresholdOptions {
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
                description =
                        "Most recall with a false-trigger rate bounded at --confidence on exchangeable data, by the"
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
}
