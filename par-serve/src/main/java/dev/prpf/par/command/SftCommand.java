package dev.prpf.par.command;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.command.RunOptions;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.augment.SilentShare;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.generate.GenerationSettings;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.SamplePrompts;
import dev.prpf.par.sets.SftExampleSettings;
import dev.prpf.par.sets.SftExamples;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.training.GreedyAnswers;
import dev.prpf.par.training.ParSftConfig;
import dev.prpf.par.training.SftDev;
import dev.prpf.par.training.SftMemory;
import dev.prpf.par.training.SftResult;
import dev.prpf.par.training.SftTraining;
import dev.prpf.par.training.TrainingFiles;
import dev.prpf.par.training.TrainingMemory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** {@code prpf par sft}: supervised fine-tuning of a reasoner on labelled samples. */
@Command(
        name = "sft",
        description = "Fine-tune a model on labelled samples (PRPF eq. 13); run again to resume.",
        footer = {
            "",
            "Example:",
            "  ./prpf par sft --config configs/par-sft.yaml --model runs/base --run-dir runs/par \\",
            "      --data data/synth/train/benchmark_zh.json --images data/synth/train"
        })
public final class SftCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(SftCommand.class);

    @Mixin
    private RunOptions common = new RunOptions();

    @CommandLine.Spec
    private CommandSpec spec;

    @Option(names = "--model", required = true, paramLabel = "DIR", description = "The model to start from.")
    private Path model;

    @ArgGroup(multiplicity = "1")
    private Source source = new Source();

    @Mixin
    private SampleOptions options = new SampleOptions();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Where the trained model goes (default: RUN/model); a model that is there is replaced.")
    private @Nullable Path out;

    private static final class Source {
        @Option(names = "--data", paramLabel = "FILE", description = "Labelled samples.")
        private @Nullable Path data;

        @Option(names = "--examples", paramLabel = "FILE", description = "An SFT set made by data sft.")
        private @Nullable Path examples;

        Path file() {
            return data == null ? Objects.requireNonNull(examples) : data;
        }
    }

    @Override
    public Integer call() {
        ParSftConfig config = common.required(ParSftConfig.class, "par sft");
        Path directory = common.runDirectory("par-sft");
        Path result = TrainedModelPlace.of(model, out, config.training().lora() != null, directory);
        try (Tokenizer tokenizer = Tokenizer.load(model)) {
            PromptProvenance provenance = provenance(config, tokenizer);
            SftExamples built = examples(config, tokenizer);
            long free = FreeMemory.bytes();
            TrainingMemory memory = SftMemory.of(
                    config.training(), HuggingFaceDirectory.open(model).config(), built.examples());
            if (common.dryRun) {
                reportDry(built, memory);
                return 0;
            }
            memory.requireWithin(free, SftMemory.lower(config.training()));
            LOG.info("{}", memory.inWords());
            SftDev.Answering answering = config.training().asks() ? answering(config, tokenizer, built) : null;
            try (RunDirectory run = RunDirectory.open(directory, common.resume, description(config))) {
                Map<String, @Nullable Object> summary = summary(
                        train(config, new TrainingFiles(model, result, provenance), built, answering, run), built);
                summary.put("memory", memory.byNameWithPeak());
                run.finish(summary);
                ResultStream.metrics(summary, common.json);
            }
        }
        return 0;
    }

    private static SftResult train(
            ParSftConfig config,
            TrainingFiles files,
            SftExamples built,
            SftDev.@Nullable Answering answering,
            RunDirectory run) {
        try (StopSignal stop = StopSignal.install();
                SftTraining training = new SftTraining(config.training(), files, built.source(), answering, run)) {
            return training.run(stop, step -> {});
        }
    }

    /** Answers may be as long as the longest response, end as responses do, and are rewarded as the paper rewards. */
    private SftDev.Answering answering(ParSftConfig config, Tokenizer tokenizer, SftExamples built) {
        FunctionPool pool = options.functions();
        built.prompts().prompts().forEach(prompt -> requireKnown(pool, prompt));
        long[] response = built.examples().get(0).response();
        GenerationSettings settings = GenerationSettings.greedy(
                SftMemory.longestResponse(built.examples()),
                List.of((int) response[response.length - 1]),
                config.training().batchSize());
        StructuredReward reward = new StructuredReward(RewardSettings.PAPER, pool);
        return new SftDev.Answering(built.prompts().prompts(), new GreedyAnswers(tokenizer, reward, settings));
    }

    private void requireKnown(FunctionPool pool, PromptExample prompt) {
        String unknown = prompt.unknownFunction(pool);
        if (unknown != null) {
            throw new InvalidDataException(source.file() + ": " + prompt.id() + ": an answer calls " + unknown
                    + ", which " + (options.pool == null ? "the shipped pool" : options.pool)
                    + " does not have, so answers cannot be rewarded; give the data's pool with --pool, or set"
                    + " training.samples to 0 and training.selection to last or dev-loss");
        }
    }

    /** A model that cannot read our prompts, or was trained on other ones before, is refused. */
    private PromptProvenance provenance(ParSftConfig config, Tokenizer tokenizer) {
        new ModelRegistration(model).requireReadable(tokenizer);
        PromptProvenance provenance = PromptProvenance.of(config.prompt(), tokenizer.sha256());
        PromptProvenance before = PromptProvenance.find(model);
        if (before != null) {
            provenance.requireSame(before, model.toString());
        }
        return provenance;
    }

    private SftExamples examples(ParSftConfig config, Tokenizer tokenizer) {
        if (source.examples == null) {
            return ofSamples(config, tokenizer, source.file());
        }
        if (options.scenarios != null || options.mpp != null || options.images != null) {
            throw new UsageException("--scenarios, --mpp and --images go with --data: the prompts of --examples "
                    + source.examples + " are written already");
        }
        return SftExamples.ofRecords(
                SftRecords.read(source.examples).requirePrompts(config.prompt()), tokenizer, config.examples());
    }

    private SftExamples ofSamples(ParSftConfig config, Tokenizer tokenizer, Path file) {
        SftExampleSettings settings = config.examples();
        List<Sample> samples = SilentShare.keep(SampleReader.readAll(file), settings.silentShare(), settings.seed());
        try (SampleReading reading = options.reading(config.encoder())) {
            SamplePrompts prompts = options.prompts(reading, config.prompt(), settings.candidates());
            return SftExamples.ofSamples(reading.perceived(samples), prompts, tokenizer, settings);
        }
    }

    private RunDescription description(ParSftConfig config) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("data_sha256", AtomicFiles.sha256(source.file()));
        facts.putAll(options.facts());
        facts.putAll(options.pictureFacts(source.data, config.encoder()));
        if (source.examples != null) {
            facts.put("scenarios_sha256", "in the set");
        }
        facts.put("model", model.toString());
        facts.put("model_sha256", HuggingFaceDirectory.open(model).sha256());
        facts.put("seed", config.training().seed());
        facts.put("device", TorchRuntime.device());
        facts.put("precision", config.training().precision().resolve().name());
        List<String> arguments = spec.commandLine().getParseResult().originalArgs();
        return new RunDescription("par sft", arguments, StrictYaml.write(config), facts);
    }

    private static Map<String, @Nullable Object> summary(SftResult result, SftExamples built) {
        Map<String, @Nullable Object> summary = new LinkedHashMap<>();
        summary.put("model", result.model().toString());
        summary.put("steps", result.steps());
        summary.put("examples", result.examples());
        summary.put("dropped", built.prompts().dropped());
        summary.put("out_of_pool", built.prompts().outOfPool());
        summary.put("longest", built.prompts().longest());
        summary.put("tokens", result.tokens());
        summary.put("loss", result.loss());
        summary.put("dev_loss", result.devLoss());
        summary.put("dev_token_accuracy", result.devAccuracy());
        summary.put("best_step", result.bestStep());
        summary.put("dev", result.dev() == null ? null : result.dev().byName());
        summary.put("seconds", result.seconds());
        return summary;
    }

    private void reportDry(SftExamples built, TrainingMemory memory) {
        Map<String, @Nullable Object> summary = new LinkedHashMap<>();
        summary.put("dry_run", true);
        summary.put("examples", built.examples().size());
        summary.put("dropped", built.prompts().dropped());
        summary.put("out_of_pool", built.prompts().outOfPool());
        summary.put("longest", built.prompts().longest());
        summary.put(
                "mean_length",
                built.examples().stream().mapToInt(e -> e.length()).average().orElseThrow());
        summary.put(
                "mean_response",
                built.examples().stream()
                        .mapToInt(e -> e.response().length)
                        .average()
                        .orElseThrow());
        summary.put("memory", memory.byName());
        ResultStream.metrics(summary, common.json);
    }
}
