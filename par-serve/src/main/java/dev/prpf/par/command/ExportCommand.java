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
import dev.prpf.par.export.RewardedPrompts;
import dev.prpf.par.reward.RewardGold;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
            "Write an SFT set as another trainer reads it: LLaMA-Factory, TRL, verl, OpenRLHF, slime or ms-swift.",
            "With --gold a GRPO set is written instead: prompts, answers, and what asks prpf for rewards."
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
    private ExportFolder.Trainer trainer;

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

    private record Splits(List<SftRecord> train, List<SftRecord> test) {}

    private record Summary(
            @Nullable String out,
            String to,
            String stage,
            int records,
            int testRecords,
            long acting,
            long silent,
            long rewritten,
            List<String> files) {}

    @Override
    public Integer call() {
        checkOptions();
        ExportFolder folder = new ExportFolder(out, trainer, overwrite);
        SftRecords records = SftRecords.read(set);
        records.requirePrompts(records.prompt());
        ResultStream.metrics(gold == null ? supervised(folder, records) : rewarded(folder, records, gold), output.json);
        return 0;
    }

    private void checkOptions() {
        boolean ofGrpo = pool.pool != null || reward != null || groups != null || testGroups != null || model != null;
        if (gold == null && ofGrpo) {
            throw new UsageException("--pool, --reward, --groups, --test-groups and --model are a GRPO set's;"
                    + " give its samples with --gold, or leave them out");
        }
        if (gold != null && !trainer.hasGrpo()) {
            throw new UsageException("--gold makes a GRPO set, but " + trainer + " has no GRPO; export to one of "
                    + ExportFolder.Trainer.named(ExportFolder.Trainer::hasGrpo) + ", or leave --gold out");
        }
        if (gold == null && !trainer.hasSft()) {
            throw new UsageException("without --gold an SFT set is made, but " + trainer
                    + " gets none; export to one of " + ExportFolder.Trainer.named(ExportFolder.Trainer::hasSft)
                    + ", or give --gold and --pool for a GRPO set");
        }
        if ((groups == null) != (model == null) || (groups == null && testGroups != null)) {
            throw new UsageException(
                    "--groups needs --model, the model that they were rolled out with, and --test-groups and"
                            + " --model need --groups; give both or none");
        }
    }

    private Summary supervised(ExportFolder folder, SftRecords records) {
        List<String> files = dryRun ? List.of() : folder.writeSupervised(records);
        long acting = records.records().stream().filter(SftRecord::intervention).count();
        return summary("sft", records, new Splits(records.records(), List.of()), acting, files);
    }

    private Summary rewarded(ExportFolder folder, SftRecords records, Path goldFile) {
        FunctionPool functions = pool.functions();
        RewardSettings settings =
                reward == null ? RewardSettings.PAPER : StrictYaml.read(reward, RewardSettings.class, List.of());
        Map<String, Sample> samples =
                RewardGold.of(SampleReader.readAll(goldFile), goldFile.toString(), functions, pool.place());
        ExportFolder.RewardFiles rewarding = new ExportFolder.RewardFiles(samples, functions, settings);
        Splits splits = splits(records, new RewardedPrompts(records, samples, goldFile.toString()), rewarding);
        List<String> files =
                dryRun ? List.of() : folder.writeRewarded(records, splits.train(), splits.test(), rewarding);
        long acting = splits.train().stream()
                .filter(record ->
                        Objects.requireNonNull(samples.get(record.id())).wantsIntervention())
                .count();
        return summary("grpo", records, splits, acting, files);
    }

    private Splits splits(SftRecords records, RewardedPrompts prompts, ExportFolder.RewardFiles rewarding) {
        if (groups == null || model == null) {
            return new Splits(prompts.all(), List.of());
        }
        try (RewardedPrompts.RolledOut rolledOut = RewardedPrompts.RolledOut.open(model, records, rewarding)) {
            List<SftRecord> train = prompts.of(groups, rolledOut);
            List<SftRecord> test = testGroups == null ? List.of() : prompts.of(testGroups, rolledOut);
            requireApart(train, test);
            return new Splits(train, test);
        }
    }

    private void requireApart(List<SftRecord> train, List<SftRecord> test) {
        Set<String> trained = train.stream().map(SftRecord::id).collect(Collectors.toSet());
        test.stream().map(SftRecord::id).filter(trained::contains).findFirst().ifPresent(id -> {
            throw new InvalidDataException(
                    testGroups + ": \"" + id + "\" is in " + groups + " too; what is held out must not be trained on");
        });
    }

    private Summary summary(String stage, SftRecords records, Splits splits, long acting, List<String> files) {
        return new Summary(
                dryRun ? null : out.toString(),
                trainer.toString(),
                stage,
                splits.train().size(),
                splits.test().size(),
                acting,
                splits.train().size() - acting,
                records.records().stream().filter(SftRecord::rewrittenForOthers).count(),
                files);
    }
}
