package dev.prpf.par.command;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.command.CascadePart;
import dev.prpf.base.command.RunOptions;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.cascade.PromptedModel;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.plan.PlannedCommand;
import dev.prpf.par.plan.PlannedGeneration;
import dev.prpf.par.plan.StageNeed;
import dev.prpf.par.plan.StagePlan;
import dev.prpf.par.reward.StructuredReward;
import dev.prpf.par.rollout.DataRolloutsConfig;
import dev.prpf.par.rollout.GroupSampler;
import dev.prpf.par.rollout.GrpoSet;
import dev.prpf.par.rollout.GrpoSetFiles;
import dev.prpf.par.rollout.RemoteRollouts;
import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.rollout.RolloutReport;
import dev.prpf.par.rollout.RolloutRun;
import dev.prpf.par.rollout.RolloutSampling;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptExamples;
import dev.prpf.par.sets.SftRecords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf data rollout-set}: samples a fine-tuned model's responses to prompts, and builds a GRPO set of them. */
@Command(
        name = "rollout-set",
        description = {
            "Sample responses of a trained model and make a GRPO set of them (PRPF A.4); run again to resume.",
            "Another `set:` section builds the set again from the existing rollouts."
        },
        footer = {
            "  ./prpf data rollout-set --config configs/data-rollout-set.yaml --reasoner runs/reasoner/model --run-dir runs/rollouts"
                    + " \\",
            "      --data data/synth/train/benchmark_zh.json --images data/synth/train"
        })
public final class RolloutsCommand implements Runnable, PlannedCommand {
    private static final String SET_CONFIG = "set.resolved.yaml";

    @Mixin
    private RunOptions common = new RunOptions();

    @Option(
            names = "--reasoner",
            converter = CascadePart.Reasoner.class,
            required = true,
            paramLabel = "DIR",
            description = "The policy: a model of reasoner sft.")
    private Path model;

    @Option(
            names = "--remote",
            paramLabel = "FILE",
            description = "Sample on servers of the model, see configs/data-rollout-set-remote.yaml (default: here).")
    private @Nullable Path remote;

    @ArgGroup(multiplicity = "1")
    private SampleOptions.DataSource source = new SampleOptions.DataSource();

    @Option(
            names = "--gold",
            paramLabel = "FILE",
            description = "With --examples: the samples of the set, for all valid answers (default: its targets).")
    private @Nullable Path gold;

    @Mixin
    private SampleOptions options = new SampleOptions();

    private record Prompts(int prompts, int dropped, int outOfPool, int longest) {
        static Prompts of(PromptExamples made) {
            return new Prompts(made.prompts().size(), made.dropped(), made.outOfPool(), made.longest());
        }
    }

    /** The sampling decoder or servers, closed with this. */
    private record Source(RolloutRun.Groups groups, Runnable closing) implements AutoCloseable {
        @Override
        public void close() {
            closing.run();
        }
    }

    private record Summary(
            String rollouts,
            @JsonUnwrapped Prompts prompts,
            @JsonUnwrapped RolloutReport.Counts counts,
            String train,
            @Nullable String test,
            GrpoSet.Counts set,
            double seconds) {}

    @Override
    public void run() {
        DataRolloutsConfig config = common.required(DataRolloutsConfig.class, "data rollout-set");
        HuggingFaceDirectory.open(model).requiredEndTokens();
        RemoteRollouts.Config servers =
                remote == null ? null : StrictYaml.read(remote, RemoteRollouts.Config.class, List.of());
        if (servers != null) {
            RemoteRollouts.requireTold(config.sampling().settings());
        }
        try (StopSignal stop = StopSignal.install();
                PromptedModel policy = options.policy(
                        model, config.encoder(), config.sampling().precision().resolve())) {
            requireFitting(policy);
            PromptExamples prompts = prompts(config, policy, stop);
            stop.requireNone();
            policy.directory()
                    .requireRoom(
                            PromptExample.longest(prompts.prompts()),
                            config.sampling().maxNewTokens(),
                            "sampling.max-new-tokens");
            if (common.dryRun) {
                common.print(Prompts.of(prompts));
            } else {
                rollOut(config, servers, policy, prompts, stop);
            }
        }
    }

    @Override
    public StageNeed need(StagePlan plan) {
        DataRolloutsConfig config = common.required(DataRolloutsConfig.class, "data rollout-set");
        RolloutSampling sampling = config.sampling();
        Long prompts = plan.source(source.file()).records();
        Path made = common.runDirectory("data-rollout-set");
        Long chosen = prompts == null ? null : config.set().trainRecords(prompts);
        plan.makes(made, new StagePlan.Source(chosen, exported(made)));
        return remote != null
                ? StageNeed.withoutModel()
                : new PlannedGeneration(
                                plan.model(model),
                                sampling.precision().resolve(),
                                sampling.batchSize(),
                                sampling.maxNewTokens(),
                                true)
                        .need(plan, prompts, sampling.groupSize());
    }

    /** Returns the options of {@code data export} for the prompts selected by these rollouts; empty without an SFT set and its samples. */
    private List<String> exported(Path made) {
        if (source.examples == null || gold == null) {
            return List.of();
        }
        Stream<Object> pool = options.pool == null ? Stream.of() : Stream.of("--pool", options.pool);
        Path chosen = made.resolve(GrpoSetFiles.TRAIN);
        return Stream.concat(Stream.of("--examples", source.examples, "--gold", gold, "--groups", chosen), pool)
                .map(String::valueOf)
                .toList();
    }

    private void requireFitting(PromptedModel policy) {
        if (source.examples != null) {
            boolean showsImages = policy.provenance().prompt().screenshots().showsImages();
            options.requireNoneFor("--examples " + source.examples, showsImages);
        } else if (gold != null) {
            throw new UsageException("--gold " + gold + " goes with --examples; --data has its own answers");
        }
    }

    private PromptExamples prompts(DataRolloutsConfig config, PromptedModel policy, StopSignal stop) {
        if (source.examples == null) {
            return options.rolloutPrompts(source.file(), config.encoder(), policy, config.prompts(), stop);
        }
        PromptExamples.Answers answers = new PromptExamples.Answers(
                options.functions(),
                gold == null ? null : options.rewarded(gold, SampleReader.readAll(gold)),
                config.sampling().constrained());
        SftRecords set = SftRecords.read(source.examples)
                .requirePrompts(policy.provenance().prompt());
        return PromptExamples.ofRecords(set, answers, policy.chat(), config.prompts());
    }

    private void rollOut(
            DataRolloutsConfig config,
            RemoteRollouts.@Nullable Config servers,
            PromptedModel policy,
            PromptExamples prompts,
            StopSignal stop) {
        long start = System.nanoTime();
        RolloutSampling sampling = config.sampling();
        String weights = policy.directory().sha256();
        RolloutProvenance provenance = RolloutProvenance.of(
                weights, policy.provenance().promptHash(), config.reward(), options.functions(), sampling.settings());
        GroupSampler sampler = new GroupSampler(
                policy.chat(),
                policy.directory().generationDefaults().endTokens(),
                new StructuredReward(config.reward(), options.functions()),
                sampling.groupSize(),
                sampling.batchSize());
        Path directory = common.runDirectory("data-rollout-set");
        try (RunDirectory run =
                RunDirectory.open(directory, common.resume, description(config, weights, prompts.prompts()))) {
            Path file;
            try (Source source = servers == null
                    ? here(sampling, sampler, provenance)
                    : onServers(servers, sampler, provenance, stop)) {
                file = new RolloutRun(source.groups(), provenance, run, sampling).run(prompts.prompts(), stop);
            }
            Summary summary = summary(config, prompts, directory, file, start);
            run.finish(summary);
            common.print(summary);
        }
    }

    private Source here(RolloutSampling sampling, GroupSampler sampler, RolloutProvenance provenance) {
        CausalLm decoder =
                HuggingFaceDirectory.open(model).decoder(sampling.precision().resolve());
        return new Source((part, cancelled) -> sampler.sample(decoder, provenance, part, cancelled), decoder::close);
    }

    private static Source onServers(
            RemoteRollouts.Config config, GroupSampler sampler, RolloutProvenance provenance, StopSignal stop) {
        ChatClient servers = new ChatClient(config.server(), config.model(), System.getenv(), stop::requested);
        return new Source((part, cancelled) -> sampler.sample(servers, provenance, part), servers::close);
    }

    private static Summary summary(
            DataRolloutsConfig config, PromptExamples prompts, Path directory, Path rollouts, long start) {
        RolloutReport counts = new RolloutReport();
        GrpoSet set = GrpoSetFiles.write(directory, rollouts, prompts.prompts(), config.set(), counts);
        AtomicFiles.writeText(directory.resolve(SET_CONFIG), StrictYaml.write(config.set()));
        Path test = directory.resolve(GrpoSetFiles.TEST);
        return new Summary(
                rollouts.toString(),
                Prompts.of(prompts),
                counts.counts(),
                directory.resolve(GrpoSetFiles.TRAIN).toString(),
                Files.exists(test) ? test.toString() : null,
                set.counts(),
                (System.nanoTime() - start) / 1e9);
    }

    private RunDescription description(DataRolloutsConfig config, String weights, List<PromptExample> prompts) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("data_sha256", AtomicFiles.sha256(source.file()));
        if (source.examples != null) {
            facts.putAll(ImageCounts.facts(prompts));
        }
        facts.put("gold_sha256", gold == null ? "none" : AtomicFiles.sha256(gold));
        facts.putAll(options.facts(source.data, config.encoder()));
        facts.put("model", model.toString());
        facts.put("model_sha256", weights);
        facts.put(
                "precision",
                remote == null ? config.sampling().precision().resolve().name() : "of the servers");
        return new RunDescription("data rollout-set", common.arguments(), StrictYaml.write(config.rollouts()), facts);
    }
}
