package dev.prpf.par.command;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.augment.SilentShare;
import dev.prpf.par.generate.GenerationSettings;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptExamples;
import dev.prpf.par.sets.SamplePrompts;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.sets.SftExampleSettings;
import dev.prpf.par.sets.SftExamples;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.training.GreedyAnswers;
import dev.prpf.par.training.ParSftConfig;
import dev.prpf.par.training.PolicyEvaluation;
import dev.prpf.par.training.SftDev;
import dev.prpf.par.training.SftMemory;
import dev.prpf.par.training.SftTraining;
import dev.prpf.par.training.TrainingFiles;
import dev.prpf.par.training.TrainingMemory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;

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
public final class SftCommand extends TrainingCommand {
    @ArgGroup(multiplicity = "1")
    private SampleOptions.DataSource source = new SampleOptions.DataSource();

    /** What is printed and kept of a training. */
    private record Summary(
            String model,
            long steps,
            int examples,
            int dropped,
            int outOfPool,
            int longest,
            long tokens,
            double loss,
            @Nullable Double devLoss,
            @Nullable Double devTokenAccuracy,
            @Nullable Long bestStep,
            @Nullable PolicyEvaluation dev,
            double seconds,
            Map<String, @Nullable Object> memory) {}

    private record DrySummary(
            boolean dryRun,
            int examples,
            int dropped,
            int outOfPool,
            int longest,
            double meanLength,
            double meanResponse,
            Map<String, @Nullable Object> memory) {}

    @Override
    public Integer call() {
        ParSftConfig config = common.required(ParSftConfig.class, "par sft");
        Path directory = common.runDirectory("par-sft");
        Path result = result(directory, config.training().lora());
        try (Tokenizer tokenizer = Tokenizer.load(model)) {
            TrainingFiles files = new TrainingFiles(
                    model, result, new ModelRegistration(model).provenance(config.prompt(), tokenizer));
            SftExamples built = examples(config, tokenizer);
            TrainingMemory memory = SftMemory.of(
                    config.training(), HuggingFaceDirectory.open(model).config(), built.examples());
            if (common.dryRun) {
                ResultStream.metrics(drySummary(built, memory), common.json);
                return 0;
            }
            requireRoom(memory, SftMemory.lower(config.training()));
            SftDev.Answering answering = config.training().asks() ? answering(config, tokenizer, built) : null;
            train(directory, description(config), run -> {
                SftTraining.SftResult trained = train(config, files, built, answering, run);
                return summary(trained, built.prompts(), memory);
            });
        }
        return 0;
    }

    private static SftTraining.SftResult train(
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
                    + ", which " + options.place()
                    + " does not have, so answers cannot be rewarded; give the data's pool with --pool, or set"
                    + " training.samples to 0 and training.selection to last or dev-loss");
        }
    }

    private SftExamples examples(ParSftConfig config, Tokenizer tokenizer) {
        if (source.examples == null) {
            return ofSamples(config, tokenizer, source.file());
        }
        options.requireNoneFor("--examples " + source.examples);
        return SftExamples.ofRecords(
                SftRecords.read(source.examples).requirePrompts(config.prompt()), tokenizer, config.examples());
    }

    private SftExamples ofSamples(ParSftConfig config, Tokenizer tokenizer, Path file) {
        SftExampleSettings settings = config.examples();
        List<Sample> samples = SilentShare.keep(SampleReader.readAll(file), settings.silentShare(), settings.seed());
        try (SampleOptions.Reading reading = options.reading(config.encoder())) {
            SamplePrompts prompts = options.prompts(reading, config.prompt(), settings.candidates());
            return SftExamples.ofSamples(reading.perceived(samples), prompts, tokenizer, settings);
        }
    }

    private RunDescription description(ParSftConfig config) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("data_sha256", AtomicFiles.sha256(source.file()));
        data.putAll(options.facts(source.data, config.encoder()));
        if (source.examples != null) {
            data.put("scenarios_sha256", "in the set");
        }
        return description(
                config, data, config.training().seed(), config.training().precision());
    }

    private static Summary summary(SftTraining.SftResult result, PromptExamples prompts, TrainingMemory memory) {
        return new Summary(
                result.model().toString(),
                result.steps(),
                result.examples(),
                prompts.dropped(),
                prompts.outOfPool(),
                prompts.longest(),
                result.tokens(),
                result.loss(),
                result.devLoss(),
                result.devAccuracy(),
                result.bestStep(),
                result.dev(),
                result.seconds(),
                memory.byNameWithPeak());
    }

    private static DrySummary drySummary(SftExamples built, TrainingMemory memory) {
        List<SftExample> examples = built.examples();
        return new DrySummary(
                true,
                examples.size(),
                built.prompts().dropped(),
                built.prompts().outOfPool(),
                built.prompts().longest(),
                examples.stream().mapToInt(SftExample::length).average().orElseThrow(),
                examples.stream()
                        .mapToInt(example -> example.response().length)
                        .average()
                        .orElseThrow(),
                memory.byName());
    }
}
