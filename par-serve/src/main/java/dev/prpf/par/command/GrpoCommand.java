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
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.rollout.GrpoSetFiles;
import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptExamples;
import dev.prpf.par.sets.PromptSplit;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.training.PolicyEvaluation;
import dev.prpf.par.training.TrainingFiles;
import dev.prpf.par.training.TrainingMemory;
import dev.prpf.par.training.grpo.GrpoConfig;
import dev.prpf.par.training.grpo.GrpoMemory;
import dev.prpf.par.training.grpo.GrpoResult;
import dev.prpf.par.training.grpo.GrpoTraining;
import dev.prpf.par.training.grpo.ParGrpoConfig;
import dev.prpf.par.training.grpo.PolicyRollouts;
import dev.prpf.par.training.grpo.SampledRollouts;
import dev.prpf.par.training.grpo.StoredRollouts;
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

/** {@code prpf par grpo}: reinforcement learning of a fine-tuned reasoner from rule-based rewards. */
@Command(
        name = "grpo",
        description = "Train a fine-tuned model on rewards of its own responses (PRPF eq. 14); run again to resume.",
        footer = {
            "",
            "Example:",
            "  ./prpf par grpo --config configs/par-grpo.yaml --model runs/par/model --run-dir runs/par-grpo \\",
            "      --data data/synth/train/benchmark_zh.json --images data/synth/train"
        })
public final class GrpoCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(GrpoCommand.class);

    @Mixin
    private RunOptions common = new RunOptions();

    @CommandLine.Spec
    private CommandSpec spec;

    @Option(
            names = "--model",
            required = true,
            paramLabel = "DIR",
            description = "The model to start from, of par sft.")
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
        @Option(names = "--data", paramLabel = "FILE", description = "Labelled samples to make prompts of.")
        private @Nullable Path data;

        @Option(
                names = "--prompts",
                paramLabel = "DIR",
                description = "A GRPO set, the run directory of data rollouts: its prompts are rolled out anew.")
        private @Nullable Path prompts;

        @Option(
                names = "--rollouts",
                paramLabel = "DIR",
                description = "A GRPO set whose stored rollouts and log-probabilities are trained on as they are.")
        private @Nullable Path rollouts;

        @Nullable
        Path set() {
            return prompts == null ? rollouts : prompts;
        }
    }

    private record Prompts(PromptSplit split, int dropped, int outOfPool, @Nullable RolloutProvenance provenance) {}

    private PolicyRollouts rollouts(SampledRollouts sampled, HuggingFaceDirectory start, Prompts prompts) {
        RolloutProvenance provenance = prompts.provenance();
        return source.rollouts == null || provenance == null
                ? sampled
                : StoredRollouts.of(source.rollouts, provenance, start.sha256(), sampled);
    }

    @Override
    public Integer call() {
        checkOptions();
        ParGrpoConfig config = common.required(ParGrpoConfig.class, "par grpo");
        Path directory = common.runDirectory("par-grpo");
        Path result = TrainedModelPlace.of(model, out, config.training().lora() != null, directory);
        PromptProvenance provenance = PromptProvenance.read(model);
        try (Tokenizer tokenizer = Tokenizer.load(model)) {
            provenance.requireTokenizer(tokenizer.sha256(), model);
            FunctionPool pool = options.functions();
            Prompts prompts = prompts(config, provenance, tokenizer, pool);
            HuggingFaceDirectory start = HuggingFaceDirectory.open(model);
            start.requireRoom(prompts.split().longest(), config.rollouts().maxNew(), "rollouts.max-new");
            List<Integer> end = start.requiredEndTokens();
            PolicyRollouts rollouts = rollouts(
                    new SampledRollouts(tokenizer, end, config.rollouts(), config.reward(), pool), start, prompts);
            long free = FreeMemory.bytes();
            TrainingMemory memory =
                    GrpoMemory.of(config.training(), config.rollouts(), start.config(), prompts.split());
            if (common.dryRun) {
                ResultStream.metrics(drySummary(config, prompts, memory), common.json);
                return 0;
            }
            memory.requireWithin(free, GrpoMemory.lower(config.training(), memory));
            LOG.info("{}", memory.inWords());
            TrainingFiles files = new TrainingFiles(model, result, provenance);
            try (RunDirectory run = RunDirectory.open(directory, common.resume, description(config))) {
                Map<String, @Nullable Object> summary =
                        summary(train(config, files, prompts.split(), rollouts, run), prompts);
                summary.put("memory", memory.byNameWithPeak());
                run.finish(summary);
                ResultStream.metrics(summary, common.json);
            }
        }
        return 0;
    }

    private void checkOptions() {
        if (source.set() != null && (options.scenarios != null || options.mpp != null || options.images != null)) {
            throw new UsageException("--scenarios, --mpp and --images go with --data: the prompts of " + source.set()
                    + " are written already");
        }
    }

    private static GrpoResult train(
            ParGrpoConfig config, TrainingFiles files, PromptSplit prompts, PolicyRollouts rollouts, RunDirectory run) {
        try (StopSignal stop = StopSignal.install();
                GrpoTraining training = new GrpoTraining(config.training(), files, prompts, rollouts, run)) {
            return training.run(stop, step -> {});
        }
    }

    private Prompts prompts(ParGrpoConfig config, PromptProvenance provenance, Tokenizer tokenizer, FunctionPool pool) {
        Path set = source.set();
        if (set != null) {
            return ofSet(set, config, provenance, pool);
        }
        PromptExamples made = options.rolloutPrompts(
                Objects.requireNonNull(source.data),
                config.encoder(),
                provenance.prompt(),
                tokenizer,
                config.prompts());
        GrpoConfig training = config.training();
        return new Prompts(
                PromptSplit.split(made.prompts(), training.devShare(), training.seed()),
                made.dropped(),
                made.outOfPool(),
                null);
    }

    /** The set's own test part is held out, where it has one. */
    private Prompts ofSet(Path directory, ParGrpoConfig config, PromptProvenance provenance, FunctionPool pool) {
        GrpoSetFiles set = GrpoSetFiles.read(directory);
        set.provenance().requirePrompt(provenance.promptHash(), model.toString(), directory.toString());
        set.provenance().requirePool(pool, directory.toString());
        List<PromptExample> train = config.prompts().fitting(set.train());
        List<PromptExample> test = config.prompts().fitting(set.test());
        if (train.isEmpty()) {
            throw new InvalidDataException(
                    directory + ": no prompt of its " + set.train().size()
                            + " is left: all are longer than prompts.max-length = "
                            + config.prompts().maxLength() + "; raise it");
        }
        int dropped = set.train().size() - train.size() + set.test().size() - test.size();
        List<PromptExample> drawn = config.prompts().drawn(train);
        GrpoConfig training = config.training();
        return new Prompts(
                test.isEmpty()
                        ? PromptSplit.split(drawn, training.devShare(), training.seed())
                        : new PromptSplit(drawn, test),
                dropped,
                0,
                set.provenance());
    }

    private RunDescription description(ParGrpoConfig config) {
        Map<String, Object> facts = new LinkedHashMap<>();
        Path set = source.set();
        facts.put("data_sha256", source.data == null ? "in the set" : AtomicFiles.sha256(source.data));
        facts.put("prompts_sha256", set == null ? "made of the data" : GrpoSetFiles.sha256(set));
        facts.putAll(options.facts());
        facts.putAll(options.pictureFacts(source.data, config.encoder()));
        facts.put("model", model.toString());
        facts.put("model_sha256", HuggingFaceDirectory.open(model).sha256());
        facts.put("seed", config.training().seed());
        facts.put("device", TorchRuntime.device());
        facts.put("precision", config.training().precision().resolve().name());
        List<String> arguments = spec.commandLine().getParseResult().originalArgs();
        return new RunDescription("par grpo", arguments, StrictYaml.write(config), facts);
    }

    private static Map<String, @Nullable Object> summary(GrpoResult result, Prompts prompts) {
        Map<String, @Nullable Object> summary = new LinkedHashMap<>();
        summary.put("model", result.model().toString());
        summary.put("steps", result.steps());
        summary.put("prompts", result.prompts());
        summary.put("dev_prompts", prompts.split().dev().size());
        summary.put("dropped", prompts.dropped());
        summary.put("out_of_pool", prompts.outOfPool());
        summary.put("tokens", result.tokens());
        summary.put("first_reward", result.firstReward());
        summary.put("reward", result.reward());
        summary.put("best_step", result.bestStep());
        summary.put("dev_before", figures(result.devBefore()));
        summary.put("dev", figures(result.dev()));
        summary.put("seconds", result.seconds());
        return summary;
    }

    private static @Nullable Map<String, @Nullable Object> figures(@Nullable PolicyEvaluation evaluation) {
        return evaluation == null ? null : evaluation.byName();
    }

    private static Map<String, @Nullable Object> drySummary(
            ParGrpoConfig config, Prompts prompts, TrainingMemory memory) {
        Map<String, @Nullable Object> summary = new LinkedHashMap<>();
        summary.put("dry_run", true);
        summary.put("prompts", prompts.split().train().size());
        summary.put("dev_prompts", prompts.split().dev().size());
        summary.put(
                "silent",
                prompts.split().train().stream()
                        .filter(prompt -> !prompt.intervention())
                        .count());
        summary.put("dropped", prompts.dropped());
        summary.put("out_of_pool", prompts.outOfPool());
        summary.put("longest", prompts.split().longest());
        summary.put(
                "responses_per_step",
                config.training().promptsPerStep() * config.rollouts().groupSize());
        summary.put("memory", memory.byName());
        return summary;
    }
}
