package dev.prpf.par.command;

import dev.prpf.base.command.CascadePart;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.KeyedLines;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.command.PoolOption;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.cascade.PromptedModel;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.constraint.ModelConstraints;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.response.GeneratedResponse;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.vision.PromptImageReader;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf reasoner respond}: generates a model's greedy responses to the prompts of an SFT set, as predictions. */
@Command(
        name = "respond",
        description = {
            "Answer the prompts of an SFT set greedily, without perceiver or gate.",
            "Writes predictions, which eval score scores and eval compare compares; run again to resume.",
            "--pool names the functions of --constrained responses and needs that option."
        },
        footer =
                "  ./prpf reasoner respond --reasoner runs/calls-sft/model --examples data/calls/test/sft.jsonl --run-dir"
                        + " runs/answers-sft",
        defaultValueProvider = LocalDecodingOptions.ShortResponses.class)
final class RespondCommand implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RespondCommand.class);

    private record Summary(String predictions, int n, long malformed, double seconds) {}

    @Option(
            names = "--reasoner",
            converter = CascadePart.Reasoner.class,
            required = true,
            paramLabel = "DIR",
            description = "A model with prpf.json: of reasoner sft, reasoner grpo or reasoner adopt.")
    private Path model;

    @Option(
            names = "--examples",
            required = true,
            paramLabel = "FILE",
            description = "An SFT set; its targets are not read.")
    private Path examples;

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Root of the screenshots' paths, where the prompts show images.")
    private @Nullable Path images;

    @Option(
            names = "--run-dir",
            required = true,
            paramLabel = "DIR",
            description = "Folder of predictions.jsonl; run again to resume.")
    private Path directory;

    @Option(
            names = "--resume",
            paramLabel = "MODE",
            defaultValue = "auto",
            description = "auto, required or never (default: ${DEFAULT-VALUE}).")
    private Resume resume;

    @Mixin
    private LocalDecodingOptions decoding;

    @Mixin
    private PoolOption pool;

    @Mixin
    private JsonOption output;

    @Override
    public void run() {
        LocalReasoner.Settings settings = decoding.settings(null);
        if (pool.pool != null && !settings.constrained()) {
            throw new UsageException("--pool " + pool.pool
                    + " has an effect on constrained responses only: add --constrained, or leave it out");
        }
        try (PromptedModel policy = PromptedModel.open(model).seeing(new ImageFolder(images), settings.dtype(), null)) {
            List<PromptExample> prompts = SftRecords.read(examples)
                    .requirePrompts(policy.provenance().prompt())
                    .prompts(policy.chat(), settings.constrained() ? pool.functions() : null);
            policy.directory().requireRoom(PromptExample.longest(prompts), settings.maxNew(), "--max-new");
            try (RunDirectory run = RunDirectory.open(directory, resume, description(policy, prompts, settings))) {
                Summary summary = respond(prompts, policy, settings);
                run.finish(summary);
                output.print(summary);
            }
        }
    }

    private Summary respond(List<PromptExample> prompts, PromptedModel policy, LocalReasoner.Settings settings) {
        long start = System.nanoTime();
        Path out = directory.resolve("predictions.jsonl");
        append(prompts, policy, settings, out);
        List<Prediction> predictions = Prediction.read(out);
        long malformed = predictions.stream()
                .filter(prediction -> prediction.calls() == null)
                .count();
        return new Summary(out.toString(), predictions.size(), malformed, (System.nanoTime() - start) / 1e9);
    }

    private RunDescription description(
            PromptedModel policy, List<PromptExample> prompts, LocalReasoner.Settings settings) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("model", model.toString());
        facts.put("model_sha256", policy.directory().sha256());
        facts.put("examples_sha256", AtomicFiles.sha256(examples));
        facts.putAll(ImageCounts.facts(prompts));
        facts.put("pool_sha256", settings.constrained() ? pool.poolSha256() : "none");
        return new RunDescription("reasoner respond", output.arguments(), StrictYaml.write(settings), facts);
    }

    /** Predicts for the prompts that have no prediction yet, batch by batch. */
    private void append(List<PromptExample> prompts, PromptedModel policy, LocalReasoner.Settings settings, Path out) {
        List<Integer> end = policy.directory().requiredEndTokens();
        int batchSize = settings.batchSize();
        GenerationSettings generation =
                GenerationSettings.greedy(settings.maxNew(), end, batchSize).withoutLogprobs();
        try (StopSignal stop = StopSignal.install();
                CausalLm decoder = policy.directory().decoder(settings.dtype());
                KeyedLines appender = Prediction.open(out);
                Progress progress = Progress.start("reasoner respond", prompts.size())) {
            ModelConstraints constraints =
                    settings.constrained() ? new ModelConstraints(policy.tokenizer(), end) : null;
            for (int from = 0; from < prompts.size(); from += batchSize) {
                List<PromptExample> batch = prompts.subList(from, Math.min(prompts.size(), from + batchSize));
                if (!batch.stream().allMatch(prompt -> appender.has(prompt.id()))) {
                    if (stop.requested()) {
                        throw StopSignal.checkpointed(appender.size(), out.resolveSibling("."));
                    }
                    append(
                            batch,
                            generate(batch, policy.chat().images(), decoder, generation, constraints),
                            policy,
                            appender);
                }
                progress.stepBy(batch.size());
            }
        }
    }

    /** Computes a whole batch, so that a resumed run generates the same responses. */
    private static List<Generation> generate(
            List<PromptExample> batch,
            PromptImageReader reader,
            CausalLm decoder,
            GenerationSettings settings,
            @Nullable ModelConstraints constraints) {
        int vocabulary = decoder.config().vocabularySize();
        List<GenerationRequest> requests = batch.stream()
                .map(prompt -> new GenerationRequest(
                        reader.see(prompt.prompt()),
                        settings.params(),
                        0,
                        constraints == null
                                ? null
                                : () -> constraints.of(vocabulary, prompt.form(), prompt.functions())))
                .toList();
        return new Generator(decoder).generate(requests, settings.batchSize(), () -> false);
    }

    private static void append(
            List<PromptExample> batch, List<Generation> generations, PromptedModel policy, KeyedLines appender) {
        for (int i = 0; i < batch.size(); i++) {
            PromptExample prompt = batch.get(i);
            if (!appender.has(prompt.id())) {
                GeneratedResponse response =
                        GeneratedResponse.of(generations.get(i), policy.tokenizer(), prompt.form());
                if (response.finish() == FinishReason.LENGTH) {
                    LOG.warn("{}: its response was cut off after {} tokens", prompt.id(), response.length());
                }
                Reasoner.Reasoning reasoning =
                        new Reasoner.Reasoning(response.text(), response.parsed(), response.finish());
                Prediction.reasoned(prompt.id(), null, reasoning, null).append(appender);
            }
        }
        appender.flush();
    }
}
