package dev.prpf.par.command;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.cascade.PromptedModel;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.plan.StageNeed;
import dev.prpf.par.plan.StagePlan;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.SamplePrompts;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.sets.SftExamples;
import dev.prpf.par.sets.SftExamples.SftExampleSettings;
import dev.prpf.par.sets.SftExamples.SftExampleSettings.OverLong;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.training.ParSftConfig;
import dev.prpf.par.training.Predictor;
import dev.prpf.par.training.SftMemory;
import dev.prpf.par.training.SftTraining;
import dev.prpf.par.training.TrainingFiles;
import dev.prpf.par.training.TrainingMemory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;

/** {@code prpf reasoner sft}: supervised fine-tuning of a reasoner on labelled samples. */
@Command(
        name = "sft",
        description = "Fine-tune a model on labelled samples (PRPF eq. 13); run again to resume.",
        footer = {
            "  ./prpf reasoner sft --config configs/reasoner-sft.yaml --reasoner runs/base --run-dir runs/reasoner \\",
            "      --data data/synth/train/benchmark_zh.json --images data/synth/train"
        })
final class SftCommand extends TrainingCommand {
    @ArgGroup(multiplicity = "1")
    private SampleOptions.DataSource source = new SampleOptions.DataSource();

    private record DrySummary(
            boolean dryRun,
            int examples,
            int dropped,
            int outOfPool,
            int longest,
            double meanLength,
            double meanResponse,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable ImageCounts images,
            Map<String, @Nullable Object> memory) {}

    @Override
    public void run() {
        ParSftConfig config = common.required(ParSftConfig.class, "reasoner sft");
        Path directory = common.runDirectory("reasoner-sft");
        Path result = result(directory, config.training().lora());
        try (StopSignal stop = StopSignal.install();
                PolicyInTraining start = start(config)) {
            ChatTokenizer tokenizer = start.policy().chat();
            TrainingFiles files =
                    new TrainingFiles(model, result, start.policy().provenance(), start.vision());
            SftExamples data = examples(config, tokenizer, stop);
            stop.requireNone();
            ImageCounts images = counted(data.prompts().prompts());
            DecoderConfig decoder = HuggingFaceDirectory.open(model).config();
            BiFunction<ParSftConfig, List<SftExample>, TrainingMemory> estimate = (changed, examples) -> SftMemory.of(
                    changed.training(),
                    new TrainingMemory.Estimator(changed.training(), decoder, start.config()),
                    examples);
            TrainingMemory memory = estimate.apply(config, data.examples());
            if (common.dryRun) {
                common.print(drySummary(data, images, memory));
                return;
            }
            requireRoom(memory, SftMemory.lower(config.training(), decoder), free -> new FittingOptions<>(
                            common,
                            ParSftConfig.class,
                            changed -> fits(
                                    changed,
                                    data.examples(),
                                    left -> estimate.apply(changed, left).added() <= free),
                            changed -> dropped(changed, data.examples()))
                    .inWords(
                            Map.of("training.batch-size", config.training().batchSize()),
                            Map.of("examples.max-length", data.prompts().longest()),
                            config.examples().overLong() == OverLong.DROP ? null : "examples.over-long=drop"));
            Predictor predictor = config.training().predicts() ? predictor(config, tokenizer, data) : null;
            train(directory, description(config, data), memory, run -> {
                try (SftTraining training = new SftTraining(config.training(), files, data, predictor, run)) {
                    return training.run(stop, step -> {});
                }
            });
        }
    }

    @Override
    public StageNeed need(StagePlan plan) {
        ParSftConfig config = common.required(ParSftConfig.class, "reasoner sft");
        int longest = config.examples().maxLength();
        return planned(plan, plan.model(model).reading(config.prompt(), longest), source.file(), "reasoner-sft")
                .sft(config);
    }

    /** Tests whether a configuration accepts every example, keeps at least half of the examples, and fits into memory with them. */
    static boolean fits(ParSftConfig changed, List<SftExample> examples, Predicate<List<SftExample>> room) {
        int dropped = dropped(changed, examples);
        return (dropped == 0 || changed.examples().overLong() == OverLong.DROP)
                && 2 * dropped <= examples.size()
                && room.test(examples.stream()
                        .filter(example -> !overLong(changed, example))
                        .toList());
    }

    static int dropped(ParSftConfig changed, List<SftExample> examples) {
        return (int)
                examples.stream().filter(example -> overLong(changed, example)).count();
    }

    private static boolean overLong(ParSftConfig config, SftExample example) {
        return example.length() > config.examples().maxLength();
    }

    private PolicyInTraining start(ParSftConfig config) {
        return Closing.ifRefused(PromptProvenance.tokenizer(model), tokenizer -> {
            HuggingFaceDirectory directory = HuggingFaceDirectory.open(model);
            PromptProvenance provenance = new ModelRegistration(model).provenance(config.prompt(), tokenizer);
            ImageFolder images = options.folder(config.encoder());
            PromptedModel policy = new PromptedModel(directory, provenance, tokenizer, null)
                    .seeing(images, config.training().precision().resolve(), options.featureStore(config.encoder()));
            return PolicyInTraining.of(policy, images, config.training());
        });
    }

    /** Creates the predictor of held-out prompts. Predictions are as long as the longest response, end like responses, and get the paper's reward. */
    private Predictor predictor(ParSftConfig config, ChatTokenizer tokenizer, SftExamples data) {
        FunctionPool pool = options.functions();
        data.prompts().prompts().forEach(prompt -> requireKnown(pool, prompt));
        GenerationSettings settings = GenerationSettings.greedy(
                        SftMemory.longestResponse(data.examples()),
                        List.of(Math.toIntExact(tokenizer.endOfTurn())),
                        config.training().batchSize())
                .withoutLogprobs();
        return Predictor.greedy(tokenizer, new StructuredReward(RewardSettings.PAPER, pool), settings);
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

    private SftExamples examples(ParSftConfig config, ChatTokenizer tokenizer, StopSignal stop) {
        if (source.examples == null) {
            return ofSamples(config, tokenizer, source.file(), stop);
        }
        options.requireNoneFor(
                "--examples " + source.examples, config.prompt().screenshots().showsImages());
        return SftExamples.ofRecords(
                SftRecords.read(source.examples).requirePrompts(config.prompt()), tokenizer, config.examples());
    }

    private SftExamples ofSamples(ParSftConfig config, ChatTokenizer tokenizer, Path file, StopSignal stop) {
        SftExampleSettings settings = config.examples();
        options.requireUse(settings);
        List<Sample> samples = settings.trainedOn(SampleReader.readAll(file));
        try (SampleOptions.Reading reading = options.reading(config.encoder(), stop)) {
            SamplePrompts prompts = options.prompts(reading, config.prompt(), settings);
            return SftExamples.ofSamples(reading.perceived(samples), prompts, tokenizer, settings);
        }
    }

    private RunDescription description(ParSftConfig config, SftExamples built) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("data_sha256", AtomicFiles.sha256(source.file()));
        data.putAll(options.facts(source.data, config.encoder()));
        if (source.examples != null) {
            data.put("scenarios_sha256", "in the set");
            data.putAll(ImageCounts.facts(built.prompts().prompts()));
        }
        return description(config, config.training(), data);
    }

    private static DrySummary drySummary(SftExamples built, @Nullable ImageCounts images, TrainingMemory memory) {
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
                images,
                memory.byName(false));
    }
}
