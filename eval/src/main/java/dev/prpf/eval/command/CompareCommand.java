package dev.prpf.eval.command;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import dev.prpf.base.run.StopSignal;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleReader;
import dev.prpf.eval.command.BootstrapOptions.ScoringOptions;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.judge.JudgeOptions;
import dev.prpf.eval.score.Comparer;
import dev.prpf.par.command.ReasoningOption;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.reward.RewardGold;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Implements the command {@code prpf eval compare}. */
@Command(
        name = "compare",
        description = {
            "Compare two sets of predictions of the same samples: reward and metrics, with paired bootstrap intervals.",
            "A difference is the second set less the first; shares are in percent, the reward is a mean."
        },
        footer = {
            "  ./prpf eval compare --gold data/calls/test/gold.json --pool data/calls/function_pool.json --reasoning"
                    + " none \\",
            "      --before runs/answers-sft/predictions.jsonl --after runs/answers-grpo/predictions.jsonl"
        })
final class CompareCommand implements Runnable {
    @Mixin
    private ScoringOptions options = new ScoringOptions();

    @Option(names = "--before", required = true, paramLabel = "FILE", description = "Predictions, one for each sample.")
    private Path before;

    @Option(names = "--after", required = true, paramLabel = "FILE", description = "Predictions of the same samples.")
    private Path after;

    @Option(
            names = "--reasoning",
            required = true,
            paramLabel = "MODE",
            converter = ReasoningOption.class,
            description = "The required response format, for the reward: prompt.reasoning of their model.")
    private ReasoningMode reasoning;

    @Option(
            names = "--reward",
            paramLabel = "FILE",
            description = "The reward's constants, see configs/reasoner-reward.yaml (default: the paper's).")
    private @Nullable Path constants;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Write compare.json there, and the answers of a model as judge.")
    private @Nullable Path out;

    @Mixin
    private JudgeOptions judge = new JudgeOptions();

    @Override
    public void run() {
        judge.requireKnown(); // fails before any file is read
        Bootstrap bootstrap = options.bootstrap();
        List<Sample> samples = SampleReader.readAll(options.gold);
        FunctionPool functions = FunctionPoolFile.read(options.pool);
        RewardGold.of(samples, options.gold.toString(), functions, options.pool.toString());
        RewardSettings settings = RewardSettings.read(constants);
        Comparer.Comparison comparison;
        try (StopSignal stop = judge.stopSignal();
                Judge judging = judge.open(out, stop)) {
            comparison = new Comparer(judging, new StructuredReward(settings, functions), reasoning, bootstrap)
                    .compare(
                            samples,
                            functions,
                            options.predictions(samples, before),
                            options.predictions(samples, after));
        }
        if (out != null) {
            AtomicFiles.writeText(
                    out.resolve("compare.json"), JsonRecords.tree(comparison).toPrettyString());
        }
        options.print(comparison, () -> table(comparison).toText().stripTrailing());
    }

    private static Table table(Comparer.Comparison comparison) {
        Table.Builder table = Table.of("", "n", "before", "after", "difference", "95 % interval");
        comparison.rows().forEach((name, row) -> {
            if (row == null) {
                table.row(name, 0);
            } else {
                String interval = row.interval() == null
                        ? Shown.NONE
                        : Shown.bracketed(row.interval(), "%.2f").strip();
                table.row(name, row.n(), row.before(), row.after(), row.difference(), interval);
            }
        });
        return table.captioned("Of " + comparison.n() + " samples (judge: " + comparison.judge() + ")");
    }
}
