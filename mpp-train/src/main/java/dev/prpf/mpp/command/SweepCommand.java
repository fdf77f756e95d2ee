package dev.prpf.mpp.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.error.UsageException;
import dev.prpf.mpp.LabelledPerceptions;
import dev.prpf.mpp.MppConfig;
import dev.prpf.mpp.PoolSizes;
import dev.prpf.mpp.SeedRun;
import dev.prpf.mpp.SeveralRuns;
import dev.prpf.mpp.Split;
import dev.prpf.mpp.ThresholdRule;
import dev.prpf.mpp.TriggerThreshold;
import dev.prpf.mpp.TriggerThreshold.Constraint;
import dev.prpf.mpp.tables.PerceiverReport;
import dev.prpf.mpp.tables.PerceiverTables;
import dev.prpf.mpp.tables.TopKRange;
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
                    + " confusion matrix, figures over seeds, recall of the top-K scenarios, ROC, precision-recall,"
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
    private static final ObjectMapper JSON = new ObjectMapper();

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
        if (SeedRun.isPlanned(run)) {
            sweepSeeds(asked);
        } else {
            sweepOne(asked);
        }
        return 0;
    }

    private void sweepSeeds(@Nullable TopKRange asked) {
        List<SeedRun> planned = SeedRun.load(run);
        Path first = run.resolve(planned.get(0).path());
        planned.forEach(one -> requireFinished(run.resolve(one.path())));
        ThresholdRule rule = rule(first);
        List<TriggerThreshold> thresholds = planned.stream()
                .map(one -> rule.chosenIn(run.resolve(one.path())))
                .toList();
        PerceiverTables tables = PerceiverTables.ofSeeds(run, planned, thresholds, range(asked, first));
        for (int i = 0; i < planned.size(); i++) {
            thresholds.get(i).keep(run.resolve(planned.get(i).path()));
        }
        PerceiverReport report = report(tables);
        if (output.json) {
            ObjectNode result = JSON.valueToTree(tables.json());
            result.put("report", PerceiverReport.file(run).toString());
            ResultStream.json(result);
        } else {
            ResultStream.line(report.text() + "see " + PerceiverReport.file(run));
        }
    }

    private void sweepOne(@Nullable TopKRange asked) {
        SeveralRuns.refuse(run);
        LabelledPerceptions.requireWritten(run, Split.DEV);
        TriggerThreshold threshold = rule(run).chosenIn(run);
        MppConfig config = config(run);
        SeedRun one = new SeedRun(SeedRun.Variant.of(config), config.seed(), "");
        PerceiverTables tables = PerceiverTables.ofRun(one, run, threshold, range(asked, run));
        threshold.keep(run);
        PerceiverReport report = report(tables);
        if (output.json) {
            ObjectNode result = JSON.valueToTree(threshold);
            result.remove("model_sha256");
            if (asked != null) {
                result.set("top_k", JSON.valueToTree(tables.json().get("top_k")));
            }
            ResultStream.json(result);
        } else {
            ResultStream.line(threshold.sentence());
            ResultStream.line(report.text() + "see " + PerceiverReport.file(run));
        }
    }

    /** A seed's run is started by the training over all of them, never alone. */
    private void requireFinished(Path one) {
        if (!LabelledPerceptions.exists(one, Split.DEV)) {
            throw new UnavailableException(LabelledPerceptions.file(one, Split.DEV)
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

    private static TopKRange range(@Nullable TopKRange asked, Path run) {
        return asked != null
                ? asked
                : TopKRange.paper(PoolSizes.load(run).functions().size());
    }

    private ThresholdRule rule(Path configured) {
        return options == null
                ? new ThresholdRule.OnDev(
                        new Constraint.MinRecall(config(configured).threshold().minRecall()))
                : options.rule(confidence == null ? CONFIDENCE : confidence);
    }

    private static MppConfig config(Path run) {
        return StrictYaml.read(run.resolve("config.resolved.yaml"), MppConfig.class, List.of());
    }
}
