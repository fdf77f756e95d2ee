package dev.prpf.mpp.command;

import dev.prpf.data.command.ResultStream;
import dev.prpf.data.config.StrictYaml;
import dev.prpf.data.run.PrpfException;
import dev.prpf.mpp.DevPredictions;
import dev.prpf.mpp.MppConfig;
import dev.prpf.mpp.ThresholdCurve;
import dev.prpf.mpp.TriggerThreshold;
import dev.prpf.mpp.TriggerThreshold.Constraint;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code prpf mpp sweep}. */
@Command(
        name = "sweep",
        description = {
            "Choose the gate's threshold on the run's dev samples, from 0.05 to 0.95 in steps of 0.01, and keep it with its curve"
                    + " (threshold.json, .csv, .svg). Exit 11 when none satisfies the constraint."
        },
        footer = {"", "Example:", "  ./prpf mpp sweep --run runs/mpp --json"})
public final class SweepCommand implements Callable<Integer> {
    @Option(names = "--run", required = true, paramLabel = "DIR", description = "Run of mpp train.")
    private Path run;

    @ArgGroup
    private @Nullable Rule rule;

    @Option(names = "--json", description = "The result as JSON on stdout; all else on stderr.")
    private boolean json;

    /** At most one of these; without any, the run's configuration says (threshold.min-recall). */
    static final class Rule {
        @Option(names = "--min-recall", paramLabel = "PERCENT", description = "Most specific with this recall.")
        private @Nullable Double minRecall;

        @Option(names = "--max-ftr", paramLabel = "PERCENT", description = "Most recall with this false-trigger rate.")
        private @Nullable Double maxFtr;

        @Option(names = "--tau", paramLabel = "T", description = "This threshold, judged and kept.")
        private @Nullable Double tau;

        @Option(names = "--paper", description = "The paper's threshold, 0.78, judged and kept.")
        private boolean paper;
    }

    @Override
    public Integer call() {
        DevPredictions dev = DevPredictions.load(run);
        TriggerThreshold threshold = TriggerThreshold.choose(dev.pTrigger(), dev.acts(), constraint());
        threshold.save(run);
        ThresholdCurve.write(run, threshold);
        if (json) {
            ResultStream.json(threshold);
        } else {
            ResultStream.line(String.format(
                    Locale.ROOT,
                    "threshold %.2f: recall %.2f, specificity %.2f on %d dev samples (%s)",
                    threshold.threshold(),
                    threshold.recall(),
                    threshold.specificity(),
                    dev.acts().length,
                    threshold.constraint()));
        }
        return 0;
    }

    private Constraint constraint() {
        if (rule == null) {
            MppConfig config = StrictYaml.read(run.resolve("config.resolved.yaml"), MppConfig.class, List.of());
            return new Constraint.MinRecall(config.threshold().minRecall());
        }
        if (rule.minRecall != null) {
            return new Constraint.MinRecall(percent("--min-recall", rule.minRecall));
        }
        if (rule.maxFtr != null) {
            return new Constraint.MaxFalseTriggers(percent("--max-ftr", rule.maxFtr));
        }
        if (rule.tau != null) {
            if (!(rule.tau >= 0 && rule.tau <= 1)) {
                throw PrpfException.badConfig("--tau = " + rule.tau + ", must lie in [0, 1]");
            }
            return new Constraint.Fixed(rule.tau);
        }
        if (!rule.paper) {
            throw PrpfException.badConfig("--paper=false chooses nothing; name a rule or leave all of them out");
        }
        return new Constraint.Fixed(TriggerThreshold.PAPER);
    }

    private static double percent(String option, double value) {
        if (!(value >= 0 && value <= 100)) {
            throw PrpfException.badConfig(option + " = " + value + ", must be a percentage from 0 to 100");
        }
        return value;
    }
}
