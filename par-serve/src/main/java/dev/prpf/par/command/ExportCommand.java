package dev.prpf.par.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.UsageException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.command.PoolOption;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.export.ExportFolder;
import dev.prpf.par.export.ExportSource;
import dev.prpf.par.export.GrpoPrompt;
import dev.prpf.par.export.GrpoPrompts;
import dev.prpf.par.export.RewardFiles;
import dev.prpf.par.export.RolledOut;
import dev.prpf.par.export.Trainer;
import dev.prpf.par.reward.RewardGold;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.training.SftRecord;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf data export}: an SFT set, or prompts with what they are rewarded against, for another trainer. */
@Command(
        name = "export",
        description = {
            "Write an SFT set as LLaMA-Factory, TRL or verl reads it.",
            "With --gold a GRPO set is written instead: prompts, answers, and a reward function that asks prpf."
        },
        footer = {
            "",
            "Example:",
            "  ./prpf data export --to trl --set runs/sft.jsonl --out runs/trl-sft",
            "  ./prpf data export --to verl --set runs/sft.jsonl --gold data/synth/train/benchmark_zh.json \\",
            "      --pool data/synth/train/function_pool.json --out runs/verl-grpo"
        })
public final class ExportCommand implements Callable<Integer> {
    @Option(names = "--to", required = true, paramLabel = "TRAINER", description = "One of: ${COMPLETION-CANDIDATES}.")
    private Trainer trainer;

    @Option(
            names = "--set",
            required = true,
            paramLabel = "FILE",
            description = "An SFT set, JSON Lines that `prpf data sft` made.")
    private Path set;

    @Option(
            names = "--out",
            required = true,
            paramLabel = "DIR",
            description = "Where the export goes; a folder that is missing, empty or, with --overwrite, an export.")
    private Path out;

    @Option(names = "--overwrite", description = "Replace the export in --out.")
    private boolean overwrite;

    @Option(
            names = "--gold",
            paramLabel = "FILE",
            description = "Labelled samples that the set was made of; makes a GRPO set.")
    private @Nullable Path gold;

    @Mixin
    private PoolOption pool;

    @Option(
            names = "--reward",
            paramLabel = "FILE",
            description = "GRPO: the reward's constants, see configs/par-reward.yaml (default: the paper's).")
    private @Nullable Path reward;

    @Option(
            names = "--groups",
            paramLabel = "FILE",
            description =
                    "GRPO: rollout groups; only their prompts, in their order (default: every sample of the set).")
    private @Nullable Path groups;

    @Option(names = "--test-groups", paramLabel = "FILE", description = "GRPO: rollout groups held out.")
    private @Nullable Path testGroups;

    @Option(names = "--model", paramLabel = "DIR", description = "The model that --groups were rolled out with.")
    private @Nullable Path model;

    @Mixin
    private JsonOption output;

    @Option(names = "--dry-run", description = "Check everything, say what would be written, write nothing.")
    private boolean dryRun;

    private record Splits(List<GrpoPrompt> train, List<GrpoPrompt> test) {}

    private record Counts(int records, int testRecords, int acting, int rewritten) {}

    @Override
    public Integer call() {
        checkOptions();
        ExportFolder folder = new ExportFolder(out, trainer, overwrite);
        ExportSource source = ExportSource.read(set);
        Map<String, @Nullable Object> summary =
                gold == null ? supervised(folder, source) : rewarded(folder, source, gold);
        ResultStream.metrics(summary, output.json);
        return 0;
    }

    private void checkOptions() {
        boolean ofGrpo = pool.pool != null || reward != null || groups != null || testGroups != null || model != null;
        if (gold == null && ofGrpo) {
            throw new UsageException("--pool, --reward, --groups, --test-groups and --model are a GRPO set's;"
                    + " give its samples with --gold, or leave them out");
        }
        if (gold != null && !trainer.hasGrpo()) {
            throw new UsageException("--gold makes a GRPO set, but " + trainer
                    + " has no GRPO; export to trl or verl, or leave --gold out");
        }
        if ((groups == null) != (model == null) || (groups == null && testGroups != null)) {
            throw new UsageException(
                    "--groups needs --model, the model that they were rolled out with, and --test-groups and"
                            + " --model need --groups; give both or none");
        }
    }

    private Map<String, @Nullable Object> supervised(ExportFolder folder, ExportSource source) {
        List<String> files = dryRun ? List.of() : folder.writeSupervised(source);
        int acting =
                (int) source.records().stream().filter(SftRecord::intervention).count();
        return summary("sft", new Counts(source.records().size(), 0, acting, source.rewritten()), files);
    }

    private Map<String, @Nullable Object> rewarded(ExportFolder folder, ExportSource source, Path goldFile) {
        FunctionPool functions = pool.functions();
        RewardSettings settings =
                reward == null ? RewardSettings.PAPER : StrictYaml.read(reward, RewardSettings.class, List.of());
        Map<String, Sample> samples =
                RewardGold.of(SampleReader.readAll(goldFile), goldFile.toString(), functions, pool.place());
        RewardFiles rewarding = new RewardFiles(functions, settings);
        Splits splits = splits(source, new GrpoPrompts(source, samples, goldFile.toString()), rewarding);
        List<String> files =
                dryRun ? List.of() : folder.writeRewarded(source, splits.train(), splits.test(), rewarding);
        int acting = (int) splits.train().stream()
                .filter(prompt -> prompt.sample().wantsIntervention())
                .count();
        return summary(
                "grpo", new Counts(splits.train().size(), splits.test().size(), acting, source.rewritten()), files);
    }

    private Splits splits(ExportSource source, GrpoPrompts prompts, RewardFiles rewarding) {
        if (groups == null || model == null) {
            return new Splits(prompts.all(), List.of());
        }
        try (RolledOut rolledOut = RolledOut.open(model, source, rewarding)) {
            List<GrpoPrompt> train = prompts.of(groups, rolledOut);
            List<GrpoPrompt> test = testGroups == null ? List.of() : prompts.of(testGroups, rolledOut);
            requireApart(train, test);
            return new Splits(train, test);
        }
    }

    private void requireApart(List<GrpoPrompt> train, List<GrpoPrompt> test) {
        Set<String> trained =
                train.stream().map(prompt -> prompt.record().id()).collect(Collectors.toCollection(HashSet::new));
        test.stream()
                .map(prompt -> prompt.record().id())
                .filter(trained::contains)
                .findFirst()
                .ifPresent(id -> {
                    throw new InvalidDataException(testGroups + ": \"" + id + "\" is in " + groups
                            + " too; what is held out must not be trained on");
                });
    }

    private Map<String, @Nullable Object> summary(String stage, Counts counts, List<String> files) {
        Map<String, @Nullable Object> summary = new LinkedHashMap<>();
        summary.put("out", dryRun ? null : out.toString());
        summary.put("to", trainer.toString());
        summary.put("stage", stage);
        summary.put("records", counts.records());
        summary.put("test_records", counts.testRecords());
        summary.put("acting", counts.acting());
        summary.put("silent", counts.records() - counts.acting());
        summary.put("rewritten", counts.rewritten());
        summary.put("files", files);
        return summary;
    }
}
