package dev.prpf.par.command;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.par.cascade.PromptedModel;
import dev.prpf.par.plan.StageNeed;
import dev.prpf.par.plan.StagePlan;
import dev.prpf.par.rollout.GrpoSetFiles;
import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptExamples;
import dev.prpf.par.sets.PromptSplit;
import dev.prpf.par.training.GrpoConfig;
import dev.prpf.par.training.GrpoMemory;
import dev.prpf.par.training.GrpoTraining;
import dev.prpf.par.training.GrpoTraining.PolicyRollouts;
import dev.prpf.par.training.LocalRollouts;
import dev.prpf.par.training.ParGrpoConfig;
import dev.prpf.par.training.TrainingFiles;
import dev.prpf.par.training.TrainingMemory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code prpf reasoner grpo}: reinforcement learning of a fine-tuned reasoner from rule-based rewards. */
@Command(
        name = "grpo",
        description = "Train a fine-tuned model on rewards of its own responses (PRPF eq. 14); run again to resume.",
        footer = {
            "  ./prpf reasoner grpo --config configs/reasoner-grpo.yaml --reasoner runs/reasoner/model --run-dir runs/reasoner-grpo \\",
            "      --data data/synth/train/benchmark_zh.json --images data/synth/train"
        })
final class GrpoCommand extends TrainingCommand {
    @ArgGroup(multiplicity = "1")
    private Source source = new Source();

    private static final class Source {
        @Option(names = "--data", paramLabel = "FILE", description = "Labelled samples to make prompts of.")
        private @Nullable Path data;

        @Option(
                names = "--prompts",
                paramLabel = "DIR",
                description = "A GRPO set, the run directory of data rollout-set: its prompts are rolled out again.")
        private @Nullable Path prompts;

        @Option(
                names = "--rollouts",
                paramLabel = "DIR",
                description = "A GRPO set: trains on its stored rollouts and log-probabilities.")
        private @Nullable Path rollouts;

        @Nullable
        Path set() {
            return prompts == null ? rollouts : prompts;
        }
    }

    private record DrySummary(
            boolean dryRun,
            int prompts,
            int devPrompts,
            long silent,
            int dropped,
            int outOfPool,
            int longest,
            int responsesPerStep,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable ImageCounts images,
            Map<String, @Nullable Object> memory) {}

    @Override
    public void run() {
        ParGrpoConfig config = common.required(ParGrpoConfig.class, "reasoner grpo");
        Path directory = common.runDirectory("reasoner-grpo");
        Path result = result(directory, config.training().lora());
        try (StopSignal stop = StopSignal.install();
                PolicyInTraining seen = opened(config)) {
            PromptedModel start = seen.policy();
            requireFitting(start);
            FunctionPool pool = options.functions();
            GrpoTraining.Prompts prompts = prompts(config, start, pool, stop);
            stop.requireNone();
            start.directory()
                    .requireRoom(
                            prompts.split().longest(), config.rollouts().maxNewTokens(), "rollouts.max-new-tokens");
            ImageCounts images = counted(prompts.split().train());
            PolicyRollouts rollouts = rollouts(config, start, pool, prompts);
            Function<ParGrpoConfig, GrpoMemory> estimates = changed -> new GrpoMemory(
                    changed.training(), changed.rollouts(), start.directory().config(), seen.config(), prompts.split());
            GrpoMemory estimate = estimates.apply(config);
            TrainingMemory memory = estimate.estimate();
            if (common.dryRun) {
                common.print(drySummary(config, prompts, images, memory));
                return;
            }
            requireRoom(memory, estimate.lower(memory), free -> new FittingOptions<>(
                            common,
                            ParGrpoConfig.class,
                            changed -> estimates.apply(changed).estimate().added() <= free,
                            changed -> 0)
                    .inWords(
                            Map.of(
                                    "training.micro-batch-size",
                                            config.training().microBatchSize(),
                                    "rollouts.batch-size", config.rollouts().batchSize()),
                            Map.of("rollouts.max-new-tokens", config.rollouts().maxNewTokens()),
                            null));
            TrainingFiles files = new TrainingFiles(model, result, start.provenance(), seen.vision());
            train(directory, description(config, prompts), memory, run -> {
                try (GrpoTraining training = new GrpoTraining(config.training(), files, prompts, rollouts, run)) {
                    return training.run(stop, step -> {});
                }
            });
        }
    }

    @Override
    public StageNeed need(StagePlan plan) {
        ParGrpoConfig config = common.required(ParGrpoConfig.class, "reasoner grpo");
        Path set = source.set() == null ? Objects.requireNonNull(source.data) : source.set();
        return planned(plan, plan.model(model), set, "reasoner-grpo").grpo(config);
    }

    private PolicyInTraining opened(ParGrpoConfig config) {
        GrpoConfig training = config.training();
        PromptedModel start =
                options.policy(model, config.encoder(), training.precision().resolve());
        return PolicyInTraining.of(start, options.folder(config.encoder()), training);
    }

    private void requireFitting(PromptedModel start) {
        if (source.set() != null) {
            boolean showsImages = start.provenance().prompt().screenshots().showsImages();
            options.requireNoneFor(source.set().toString(), showsImages);
        }
    }

    private PolicyRollouts rollouts(
            ParGrpoConfig config, PromptedModel start, FunctionPool pool, GrpoTraining.Prompts prompts) {
        LocalRollouts sampled = new LocalRollouts(
                start.chat(), start.directory().requiredEndTokens(), config.rollouts(), config.reward(), pool);
        RolloutProvenance provenance = prompts.provenance();
        return source.rollouts == null || provenance == null
                ? sampled
                : sampled.useStored(
                        source.rollouts, provenance, start.directory().sha256());
    }

    private GrpoTraining.Prompts prompts(
            ParGrpoConfig config, PromptedModel start, FunctionPool pool, StopSignal stop) {
        Path set = source.set();
        if (set != null) {
            return ofSet(set, config, start, pool);
        }
        PromptExamples made = options.rolloutPrompts(
                Objects.requireNonNull(source.data), config.encoder(), start, config.prompts(), stop);
        GrpoConfig training = config.training();
        PromptSplit split = PromptSplit.split(made.prompts(), training.devShare(), training.seed());
        return new GrpoTraining.Prompts(split, made.dropped(), made.outOfPool(), null);
    }

    /** Returns the prompts of a set; its own test part, if any, is held out. */
    private GrpoTraining.Prompts ofSet(Path directory, ParGrpoConfig config, PromptedModel start, FunctionPool pool) {
        GrpoSetFiles set = GrpoSetFiles.read(directory, start.chat().images());
        set.provenance().requirePrompt(start.provenance().promptHash(), model.toString(), directory.toString());
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
        return new GrpoTraining.Prompts(
                test.isEmpty()
                        ? PromptSplit.split(drawn, training.devShare(), training.seed())
                        : new PromptSplit(drawn, test),
                dropped,
                0,
                set.provenance());
    }

    private RunDescription description(ParGrpoConfig config, GrpoTraining.Prompts prompts) {
        Map<String, Object> data = new LinkedHashMap<>();
        Path set = source.set();
        data.put("data_sha256", source.data == null ? "in the set" : AtomicFiles.sha256(source.data));
        data.put("prompts_sha256", set == null ? "made of the data" : GrpoSetFiles.sha256(set));
        data.putAll(options.facts(source.data, config.encoder()));
        if (set != null) {
            data.putAll(ImageCounts.facts(prompts.split().train()));
        }
        return description(config, config.training(), data);
    }

    private static DrySummary drySummary(
            ParGrpoConfig config, GrpoTraining.Prompts prompts, @Nullable ImageCounts images, TrainingMemory memory) {
        List<PromptExample> train = prompts.split().train();
        return new DrySummary(
                true,
                train.size(),
                prompts.split().dev().size(),
                train.stream().filter(prompt -> !prompt.intervention()).count(),
                prompts.dropped(),
                prompts.outOfPool(),
                prompts.split().longest(),
                config.training().promptsPerStep() * config.rollouts().groupSize(),
                images,
                memory.byName(false));
    }
}
