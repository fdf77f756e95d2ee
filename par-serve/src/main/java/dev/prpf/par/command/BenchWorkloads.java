package dev.prpf.par.command;

import dev.prpf.base.error.UsageException;
import dev.prpf.data.command.PoolOption;
import dev.prpf.par.bench.DecoderBench;
import dev.prpf.par.bench.ResponsesBench;
import dev.prpf.par.bench.SchedulerBench;
import dev.prpf.par.cascade.Policy;
import dev.prpf.par.constraint.ModelConstraints;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.SftRecords;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What {@code prpf par bench} measures only where it is asked for; a mixin. */
final class BenchWorkloads extends PoolOption {
    @Option(
            names = "--scheduler",
            description = "Also measure sequences of mixed lengths beside a static batch, a prompt that begins like the"
                    + " one before, and how many sequences have other tokens in a batch than alone.")
    private boolean scheduler;

    @Option(
            names = "--prefix",
            paramLabel = "N",
            defaultValue = "1500",
            description = "Tokens that two prompts of --scheduler have in common (default: ${DEFAULT-VALUE}).")
    private int prefix;

    @Option(
            names = "--examples",
            paramLabel = "FILE",
            description = "An SFT set: also measure greedy responses to its prompts, constrained and free, with and"
                    + " without jump-forward and prompt lookup. The model needs its prpf.json.")
    private @Nullable Path examples;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "64",
            description = "Prompts of --examples at most (default: ${DEFAULT-VALUE}).")
    private int limit;

    @Option(
            names = "--lookup",
            paramLabel = "N",
            defaultValue = "8",
            description = "Tokens that prompt lookup guesses at most (default: ${DEFAULT-VALUE}).")
    private int lookup;

    /** The model with its prompts, which the caller closes; null where no examples were named. */
    @Nullable
    Policy policy(@Nullable Path model) {
        if (examples == null) {
            if (pool != null) {
                throw new UsageException("--pool " + pool + " goes with --examples");
            }
            return null;
        }
        if (model == null) {
            throw new UsageException("--examples " + examples + " goes with --model");
        }
        return Policy.open(model);
    }

    /** @param policy of {@link #policy}, open until all is measured */
    DecoderBench.More more(DecoderConfig config, DecoderBench.Settings settings, @Nullable Policy policy) {
        SchedulerBench sequences = scheduler ? new SchedulerBench(config, settings, prefix) : null;
        return new DecoderBench.More(
                sequences, policy == null || examples == null ? null : responses(policy, examples, settings));
    }

    private ResponsesBench responses(Policy policy, Path file, DecoderBench.Settings settings) {
        if (limit < 1) {
            throw new UsageException("--limit = " + limit + ", must be at least 1");
        }
        List<PromptExample> prompts = SftRecords.read(file)
                .requirePrompts(policy.provenance().prompt())
                .prompts(policy.chat(), functions());
        List<Integer> end = policy.directory().requiredEndTokens();
        ModelConstraints constraints = new ModelConstraints(policy.tokenizer(), end);
        return new ResponsesBench(
                prompts.subList(0, Math.min(limit, prompts.size())), constraints, end, lookup, settings);
    }
}
