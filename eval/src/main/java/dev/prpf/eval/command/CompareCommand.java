package dev.prpf.eval.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.UsageException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionPoolReader;
import dev.prpf.data.io.SampleReader;
import dev.prpf.eval.score.Bootstrap;
import dev.prpf.eval.score.Comparer;
import dev.prpf.eval.score.Comparison;
import dev.prpf.eval.score.ExactJudge;
import dev.prpf.eval.score.Pairing;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PredictionLines;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.reward.RewardGold;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf eval compare}. */
@Command(
        name = "compare",
        description = {
            "Compare two sets of predictions of the same samples: reward and figures, with paired bootstrap intervals.",
            "A difference is the second set less the first; shares are in percent, the reward is a mean."
        },
        footer = {
            "",
            "Example:",
            "  ./prpf eval compare --gold data/calls/test/gold.json --pool data/calls/function_pool.json --reasoning"
                    + " none \\",
            "      --before runs/answers-sft/predictions.jsonl --after runs/answers-grpo/predictions.jsonl"
        })
public final class CompareCommand implements Callable<Integer> {
    @Option(names = "--gold", required = true, paramLabel = "FILE", description = "Labelled samples.")
    private Path gold;

    @Option(names = "--pool", required = true, paramLabel = "FILE", description = "The function pool of these samples.")
    private Path pool;

    @Option(names = "--before", required = true, paramLabel = "FILE", description = "Predictions, one a sample.")
    private Path before;

    @Option(names = "--after", required = true, paramLabel = "FILE", description = "Predictions of the same samples.")
    private Path after;

    @Option(
            names = "--reasoning",
            required = true,
            paramLabel = "none|full",
            description = "The form that responses must have, for the reward: prompt.reasoning of their model.")
    private ReasoningMode reasoning;

    @Option(
            names = "--reward",
            paramLabel = "FILE",
            description = "The reward's constants, see configs/par-reward.yaml (default: the paper's).")
    private @Nullable Path constants;

    @Option(
            names = "--resamples",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Bootstrap draws behind the 95 %% intervals (default: ${DEFAULT-VALUE}).")
    private int resamples;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "42",
            description = "Of the bootstrap (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Mixin
    private JsonOption output;

    @Override
    public Integer call() {
        if (resamples < 1) {
            throw new UsageException("--resamples = " + resamples + ", must be at least 1");
        }
        List<Sample> samples = SampleReader.readAll(gold);
        FunctionPool functions = FunctionPoolReader.read(pool);
        RewardGold.of(samples, gold.toString(), functions, pool.toString());
        Comparer comparer = new Comparer(
                new ExactJudge(),
                new StructuredReward(settings(), functions),
                reasoning,
                new Bootstrap(resamples, seed, Bootstrap.DEFAULT.level()));
        Comparison comparison =
                comparer.compare(samples, functions, predictions(samples, before), predictions(samples, after));
        if (output.json) {
            ResultStream.json(comparison.toJson());
        } else {
            print(comparison);
        }
        return 0;
    }

    private RewardSettings settings() {
        return constants == null ? RewardSettings.PAPER : StrictYaml.read(constants, RewardSettings.class, List.of());
    }

    private Map<String, Prediction> predictions(List<Sample> samples, Path file) {
        return Pairing.of(samples, gold.toString(), PredictionLines.read(file), file.toString());
    }

    private static void print(Comparison comparison) {
        ResultStream.line(line("", "n", "before", "after", "difference", "95 % interval"));
        comparison.rows().forEach((name, row) -> ResultStream.line(line(name, row)));
    }

    private static String line(String name, Comparison.@Nullable Row row) {
        return row == null
                ? line(name, "0", "-", "-", "-", "-")
                : line(
                        name,
                        Integer.toString(row.n()),
                        number(row.before()),
                        number(row.after()),
                        number(row.difference()),
                        "[" + number(row.interval().low()) + ", "
                                + number(row.interval().high()) + "]");
    }

    private static String line(String name, String n, String before, String after, String difference, String interval) {
        return String.format(Locale.ROOT, "%-10s %5s %8s %8s %10s  %s", name, n, before, after, difference, interval);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
