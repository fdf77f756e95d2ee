package dev.prpf.par.command;

import dev.prpf.base.command.CascadePart;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.bench.BenchMetrics;
import dev.prpf.par.bench.DecoderBench;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf reasoner bench}: measures a decoder's speed. */
@Command(
        name = "bench",
        description = {
            "Measure a decoder on this machine: tokens per second of prefill and decode, by number format and batch."
                    + " Also measures the memory's bandwidth and the fastest matrix product.",
            "Let nothing else run. Compare with llama.cpp and transformers in benchmarks/reasoner/README.md."
        },
        footer = {"", "Example: ./prpf reasoner bench --shape 135m --dtype fp32,bf16 --batch 1,8 --json"})
final class BenchCommand implements Runnable {
    @ArgGroup(multiplicity = "1")
    private Subject subject = new Subject();

    @Option(
            names = "--dtype",
            split = ",",
            defaultValue = "fp32,bf16,int8",
            description = "Number formats: fp32, bf16, int8 (default: ${DEFAULT-VALUE}).")
    private List<Precision> precisions = List.of();

    @Option(
            names = "--batch",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,8",
            description = "Prompts decoded together (default: ${DEFAULT-VALUE}).")
    private List<Integer> batches = List.of();

    @Option(
            names = "--prompt",
            paramLabel = "N",
            defaultValue = "512",
            description = "Tokens of a prompt (default: ${DEFAULT-VALUE}).")
    private int prompt;

    @Option(
            names = "--new",
            paramLabel = "N",
            defaultValue = "64",
            description = "Tokens written after each (default: ${DEFAULT-VALUE}).")
    private int newTokens;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "Measurements of each metric; their median counts (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Mixin
    private JsonOption output;

    private static final class Subject {
        @Option(
                names = "--reasoner",
                converter = CascadePart.Reasoner.class,
                paramLabel = "DIR",
                description = "A Hugging Face model directory, a training's run or a cascade.")
        private @Nullable Path model;

        @Option(
                names = "--shape",
                paramLabel = "NAME",
                description = "Random weights of a known model's shape: 135m (SmolLM2-135M).")
        private @Nullable String shape;
    }

    /** Creates the signal handler; tests set their own. */
    Supplier<StopSignal> signals = StopSignal::install;

    @Override
    public void run() {
        DecoderBench.Settings settings = new DecoderBench.Settings(precisions, batches, prompt, newTokens, rounds);
        BenchMetrics metrics;
        DecoderBench bench = bench(settings);
        try (StopSignal stop = signals.get()) {
            metrics = bench.run(stop);
        }
        output.printLines(metrics, metrics::lines);
    }

    private DecoderBench bench(DecoderBench.Settings settings) {
        if (subject.shape != null) {
            DecoderConfig config = DecoderBench.knownShape(subject.shape);
            return new DecoderBench(subject.shape, config, precision -> random(config, precision), settings);
        }
        if (subject.model == null) {
            throw new IllegalStateException("picocli lets one of --reasoner and --shape through");
        }
        Path model = subject.model;
        DecoderConfig config = HuggingFaceDirectory.open(model).config();
        return new DecoderBench(
                model.toString(),
                config,
                precision -> HuggingFaceDirectory.open(model).decoder(precision),
                settings);
    }

    private static CausalLm random(DecoderConfig config, Precision precision) {
        try (DecoderWeights weights = ModelInit.drawn(config)) {
            return CausalLm.of(weights, precision);
        }
    }
}
