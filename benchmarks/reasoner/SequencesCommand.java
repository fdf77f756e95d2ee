package dev.prpf.par.bench;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.cli.Main;
import dev.prpf.data.command.PoolOption;
import dev.prpf.par.cascade.PromptedModel;
import dev.prpf.par.constraint.ModelConstraints;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.SftRecords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures sequences that share a batch; run by {@code benchmarks/run}. docs/GENERATION.md explains the figures. */
@Command(
        name = "sequences",
        description = "Measure sequences that share a batch: continuous batching, shared prefixes, forced tokens.",
        footer = {
            "",
            "Example: benchmarks/run reasoner/SequencesCommand.java --shape 135m --scheduler",
            "Example: benchmarks/run reasoner/SequencesCommand.java --reasoner DIR --examples sft.jsonl --batch 1,8"
        })
public final class SequencesCommand extends PoolOption implements Callable<Integer> {
    @ArgGroup(multiplicity = "1")
    private Subject subject = new Subject();

    @Option(names = "--dtype", split = ",", defaultValue = "fp32,bf16,int8", description = "Number formats.")
    private List<Precision> precisions;

    @Option(names = "--batch", split = ",", defaultValue = "1,8", description = "Sequences of --examples at a time.")
    private List<Integer> batches;

    @Option(names = "--prompt", defaultValue = "512", description = "Mean tokens of a prompt of --scheduler.")
    private int prompt;

    @Option(names = "--new", defaultValue = "64", description = "Mean tokens written after each.")
    private int newTokens;

    @Option(names = "--rounds", defaultValue = "3", description = "Measurements of each metric; the median counts.")
    private int rounds;

    @Option(
            names = "--scheduler",
            description = "Compare sequences of mixed lengths with a static batch, and a repeated prefix with a new one."
                    + " Count the sequences with other tokens in a batch than by themselves.")
    private boolean scheduler;

    @Option(names = "--prefix", defaultValue = "1500", description = "Tokens that two prompts have in common.")
    private int prefix;

    @Option(
            names = "--examples",
            paramLabel = "FILE",
            description = "An SFT set: measure greedy responses to its prompts, constrained and free, with and without"
                    + " jump-forward and prompt lookup. The model needs its prpf.json.")
    private @Nullable Path examples;

    @Option(names = "--limit", defaultValue = "64", description = "Prompts of --examples at most.")
    private int limit;

    @Option(names = "--lookup", defaultValue = "8", description = "Tokens that prompt lookup guesses at most.")
    private int lookup;

    @Mixin
    private JsonOption output;

    private static final class Subject {
        @Option(names = "--reasoner", paramLabel = "DIR", description = "A Hugging Face model directory.")
        private @Nullable Path model;

        @Option(names = "--shape", paramLabel = "NAME", description = "Random weights of a known shape: 135m.")
        private @Nullable String shape;
    }

    /** The measured results; a list is empty if it was not requested. */
    record Result(List<SchedulerMetrics> scheduler, List<ResponseMetrics> responses) {}

    public static void main(String[] arguments) {
        ResultStream.claim();
        System.exit(Main.execute(Main.commandLine(new SequencesCommand()), arguments));
    }

    @Override
    public Integer call() {
        if (!scheduler && examples == null) {
            throw new UsageException("nothing to measure: give --scheduler, or --examples FILE with --reasoner DIR");
        }
        if (examples != null && subject.model == null) {
            throw new UsageException("--examples " + examples + " goes with --reasoner");
        }
        Result result;
        try (PromptedModel policy = examples == null || subject.model == null ? null : PromptedModel.open(subject.model);
                StopSignal stop = StopSignal.install()) {
            result = measure(policy, stop);
        }
        if (output.json) {
            ResultStream.json(result);
        } else {
            result.scheduler().forEach(row -> row.lines().forEach(ResultStream::line));
            ResponseMetrics.lines(result.responses()).forEach(ResultStream::line);
        }
        return 0;
    }

    private Result measure(@Nullable PromptedModel policy, StopSignal stop) {
        DecoderBench.Settings settings = new DecoderBench.Settings(precisions, batches, prompt, newTokens, rounds);
        DecoderConfig config = subject.model == null
                ? DecoderBench.knownShape(String.valueOf(subject.shape))
                : HuggingFaceDirectory.open(subject.model).config();
        settings.requireRoom(config);
        SchedulerBench sequences = scheduler ? new SchedulerBench(config, settings, prefix) : null;
        ResponsesBench responses = policy == null ? null : responses(policy, settings);
        Result result = new Result(new ArrayList<>(), new ArrayList<>());
        for (Precision precision : precisions) {
            try (CausalLm decoder = decoder(config, precision)) {
                if (sequences != null) {
                    result.scheduler().add(sequences.measure(decoder, stop));
                }
                if (responses != null) {
                    result.responses().addAll(responses.measure(decoder, stop));
                }
            }
        }
        return result;
    }

    private CausalLm decoder(DecoderConfig config, Precision precision) {
        if (subject.model != null) {
            return HuggingFaceDirectory.open(subject.model).decoder(precision);
        }
        try (DecoderWeights weights = ModelInit.drawn(config)) {
            return CausalLm.of(weights, precision);
        }
    }

    private ResponsesBench responses(PromptedModel policy, DecoderBench.Settings settings) {
        if (limit < 1) {
            throw new UsageException("--limit = " + limit + ", must be at least 1");
        }
        List<PromptExample> prompts = SftRecords.read(examples)
                .requirePrompts(policy.provenance().prompt())
                .prompts(policy.chat(), functions());
        List<Integer> end = policy.directory().requiredEndTokens();
        ModelConstraints constraints = new ModelConstraints(policy.tokenizer(), end);
        return new ResponsesBench(
                prompts.subList(0, Math.min(limit, prompts.size())), constraints, end, lookup, settings);
    }
}
