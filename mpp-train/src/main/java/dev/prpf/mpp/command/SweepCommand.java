package dev.prpf.mpp.command;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.error.UsageException;
import dev.prpf.mpp.run.MppConfig;
import dev.prpf.mpp.run.MppRun;
import dev.prpf.mpp.run.SeedPlan;
import dev.prpf.mpp.run.SeedRun;
import dev.prpf.mpp.split.Split;
import dev.prpf.mpp.tables.PerceiverReport;
import dev.prpf.mpp.tables.PerceiverTables;
import dev.prpf.mpp.tables.TopKRange;
import dev.prpf.mpp.tables.TopKRecall;
import dev.prpf.mpp.threshold.ThresholdRule;
import dev.prpf.mpp.threshold.TriggerThreshold;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf mpp sweep}. */
@Command(
        name = "sweep",
        description = {
            "Choose the gate's threshold, from 0.05 to 0.95 in steps of 0.01, keep it with its curve (threshold.json,"
                    + " .csv, .svg), and write the perceiver's tables and plots (report.html, tables.json, SVG files):"
                    + " confusion matrix, metrics over seeds, recall of the top-K scenarios, ROC, precision-recall,"
                    + " reliability. Exit 11 when no threshold satisfies the rule."
        },
        footer = {
            "",
            "Example:",
            "  ./prpf mpp sweep --run runs/mpp --json",
            "  ./prpf mpp sweep --run runs/mpp-seeds --top-k 1..10",
            "  ./prpf mpp sweep --run runs/mpp --bound-ftr 20 --confidence 90"
        })
public final class SweepCommand implements Callable<Integer> {
    private static final double CONFIDENCE = 90;

    @Option(
            names = "--run",
            required = true,
            paramLabel = "DIR",
            description = "Run of mpp train; of one with --seeds every seed gets a threshold by the same rule.")
    private Path run;

    @ArgGroup
    private @Nullable ThresholdOptions options;

    @Option(
            names = "--confidence",
            paramLabel = "PERCENT",
            description = "Of --bound-ftr and --bound-miss, and only with one of them (default: 90).")
    private @Nullable Double confidence;

    @Option(
            names = "--top-k",
            paramLabel = "RANGE",
            description = "Lengths of the scenario shortlist, as 1..10 or 1,3,5 (default: 1..10, as far as there are"
                    + " scenarios).")
    private @Nullable String topK;

    @Mixin
    private JsonOption output;

    @Override
    public Integer call() {
        if (confidence != null && (options == null || !options.bounds())) {
            throw new UsageException("--confidence = " + confidence
                    + " goes with --bound-ftr or --bound-miss; no other rule promises anything");
        }
        TopKRange asked = topK == null ? null : TopKRange.parse(topK);
        MppRun swept = new MppRun(run);
        if (swept.isOfSeeds()) {
            sweepSeeds(swept, asked);
        } else {
            sweepOne(swept, asked);
        }
        return 0;
    }

    /** What {@code --json} prints of one run; top_k only where it was asked for. */
    private record Swept(
            @JsonUnwrapped TriggerThreshold threshold,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<TopKRecall> topK) {}

    /** What {@code --json} prints of a training over seeds. */
    private record SweptSeeds(@JsonUnwrapped PerceiverTables.Summary tables, String report) {}

    private void sweepSeeds(MppRun swept, @Nullable TopKRange asked) {
        SeedPlan plan = swept.seeds();
        List<MppRun> runs = plan.runs().stream().map(swept::seed).toList();
        runs.forEach(this::requireFinished);
        ThresholdRule rule = rule(runs.get(0));
        List<TriggerThreshold> thresholds =
                runs.stream().map(one -> one.choose(rule)).toList();
        PerceiverTables tables = PerceiverTables.ofSeeds(swept, plan, thresholds, range(asked, runs.get(0)));
        for (int i = 0; i < runs.size(); i++) {
            runs.get(i).write(thresholds.get(i));
        }
        PerceiverReport report = report(tables);
        if (output.json) {
            ResultStream.json(
                    new SweptSeeds(tables.summary(), PerceiverReport.file(run).toString()));
        } else {
            ResultStream.line(report.text() + "see " + PerceiverReport.file(run));
        }
    }

    private void sweepOne(MppRun swept, @Nullable TopKRange asked) {
        swept.requireOne();
        swept.requireWritten(Split.DEV);
        TriggerThreshold threshold = swept.choose(rule(swept));
        MppConfig config = swept.config();
        SeedRun one = new SeedRun(SeedRun.Variant.of(config), config.seed(), "");
        PerceiverTables tables = PerceiverTables.ofRun(one, swept, threshold, range(asked, swept));
        swept.write(threshold);
        PerceiverReport report = report(tables);
        if (output.json) {
            ResultStream.json(new Swept(threshold.of(null), asked == null ? null : tables.topK()));
        } else {
            ResultStream.line(threshold.sentence());
            ResultStream.line(report.text() + "see " + PerceiverReport.file(run));
        }
    }

    /** A seed's run is started by the training over all of them, never alone. */
    private void requireFinished(MppRun one) {
        if (!one.has(Split.DEV)) {
            throw new UnavailableException(one.perceptionsFile(Split.DEV)
                    + ": does not exist: the training over seeds is not at its end; go on with `prpf mpp train"
                    + " --run-dir "
                    + run + " --seeds …` as it was started");
        }
    }

    private PerceiverReport report(PerceiverTables tables) {
        PerceiverReport report = new PerceiverReport(tables);
        report.write(run);
        return report;
    }

    private static TopKRange range(@Nullable TopKRange asked, MppRun one) {
        return asked != null
                ? asked
                : TopKRange.paper(one.poolSizes().functions().size());
    }

    private ThresholdRule rule(MppRun configured) {
        return options == null
                ? configured.config().threshold().rule()
                : options.rule(confidence == null ? CONFIDENCE : confidence);
    }
}
