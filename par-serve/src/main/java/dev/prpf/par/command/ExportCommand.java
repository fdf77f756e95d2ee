package dev.prpf.par.command;

import dev.prpf.base.command.CascadePart;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.command.PoolOption;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.io.RecordStream;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.export.ExportFolder;
import dev.prpf.par.export.RewardedPrompts;
import dev.prpf.par.export.RewardedPrompts.RewardFiles;
import dev.prpf.par.export.Trainer;
import dev.prpf.par.reward.RewardGold;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf data export}: exports an SFT set, or prompts with reference answers, for another trainer. */
@Command(
        name = "export",
        description = {
            "Write an SFT set as another trainer reads it: LLaMA-Factory, TRL, verl, OpenRLHF, slime or ms-swift.",
            "With --gold a GRPO set is written instead: prompts, answers, and what asks prpf for rewards.",
            "--to parquet is no trainer: records or sets as Parquet, as Hugging Face's datasets has it."
        },
        footer = {
            "  ./prpf data export --to trl --examples runs/sft.jsonl --out runs/trl-sft",
            "  ./prpf data export --to verl --examples runs/sft.jsonl --gold data/synth/train/benchmark_zh.json \\",
            "      --pool data/synth/train/function_pool.json --out runs/verl-grpo",
            "  ./prpf data export --to parquet --examples train.json --test-examples test.json --out runs/dataset"
        })
public final class ExportCommand implements Runnable {
    @Option(names = "--to", required = true, paramLabel = "TRAINER", description = "One of: ${COMPLETION-CANDIDATES}.")
    private Trainer trainer;

    @Option(
            names = "--examples",
            required = true,
            paramLabel = "FILE",
            description = "An SFT set that `prpf data sft-set` made; with --to parquet also records.")
    private Path set;

    @Option(
            names = "--test-examples",
            paramLabel = "FILE",
            description = "With --to parquet: what is held out, of the same kind as --examples.")
    private @Nullable Path testSet;

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
            description = "GRPO: the reward's constants, see configs/reasoner-reward.yaml (default: the paper's).")
    private @Nullable Path reward;

    @Option(
            names = "--groups",
            paramLabel = "FILE",
            description =
                    "GRPO: rollout groups; only their prompts, in their order (default: every sample of the set).")
    private @Nullable Path groups;

    @Option(names = "--test-groups", paramLabel = "FILE", description = "GRPO: rollout groups held out.")
    private @Nullable Path testGroups;

    @Option(
            names = "--reasoner",
            converter = CascadePart.Reasoner.class,
            paramLabel = "DIR",
            description = "The model that --groups were rolled out with.")
    private @Nullable Path model;

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description =
                    "Root of the screenshots' paths, of a set whose prompts show images; they are copied to --out.")
    private @Nullable Path images;

    @Mixin
    private JsonOption output;

    @Option(names = "--dry-run", description = "Check everything, say what would be written, write nothing.")
    private boolean dryRun;

    private record Splits(List<SftRecord> train, List<SftRecord> test) {}

    @Override
    public void run() {
        checkOptions();
        ExportFolder folder = new ExportFolder(out, trainer, overwrite, new ImageFolder(images));
        if (trainer == Trainer.PARQUET && RecordStream.holdsRecords(set)) {
            output.print(samples(folder));
            return;
        }
        SftRecords records = SftRecords.read(set);
        records.requirePrompts(records.prompt());
        requireImages(records.prompt().screenshots().showsImages());
        output.print(gold == null ? supervised(folder, records) : rewarded(folder, records, gold));
    }

    private void requireImages(boolean showsImages) {
        if (images != null && !showsImages) {
            throw new UsageException("--images " + images + " has no effect: the prompts of " + set
                    + " show no images (prompt.screenshots is ocr); leave it out");
        }
    }

    /** Refuses inputs in the output folder: its files are removed before new ones are written. */
    private void requireInputsElsewhere() {
        Path folder = out.toAbsolutePath().normalize();
        Stream.of(set, testSet, gold, groups, testGroups, images)
                .filter(Objects::nonNull)
                .filter(input -> input.toAbsolutePath().normalize().startsWith(folder))
                .findFirst()
                .ifPresent(input -> {
                    throw new UsageException(input + " lies in --out " + out
                            + ", which would be removed before it is read; name another --out");
                });
    }

    private void checkOptions() {
        requireInputsElsewhere();
        boolean ofGrpo = pool.pool != null || reward != null || groups != null || testGroups != null || model != null;
        if (gold == null && ofGrpo) {
            throw new UsageException("--pool, --reward, --groups, --test-groups and --reasoner are a GRPO set's;"
                    + " give its samples with --gold, or leave them out");
        }
        if (testSet != null && (trainer != Trainer.PARQUET || gold != null)) {
            throw new UsageException(
                    "--test-examples goes with --to parquet, and not with --gold: prompts of a GRPO set are"
                            + " held out with --test-groups");
        }
        trainer.requireSet(gold != null);
        if ((groups == null) != (model == null) || (groups == null && testGroups != null)) {
            throw new UsageException(
                    "--groups needs --reasoner, the model that they were rolled out with, and --test-groups and"
                            + " --reasoner need --groups; give both or none");
        }
    }

    /** Exports records without changes. */
    private ExportFolder.Summary samples(ExportFolder folder) {
        if (gold != null) {
            throw new UsageException("--gold makes a GRPO set of an SFT set, but --examples " + set
                    + " holds records; make the set with `prpf data sft-set`, or leave --gold out");
        }
        Set<String> ids = new HashSet<>();
        Counted train = counted(set, ids); // checks all records before writing any
        int test = testSet == null ? 0 : counted(testSet, ids).records();
        return new ExportFolder.Summary(
                dryRun ? null : out.toString(),
                trainer.toString(),
                "records",
                train.records(),
                test,
                train.acting(),
                train.silent(),
                0,
                0,
                dryRun ? List.of() : writtenSamples(folder));
    }

    private record Counted(int records, int acting, int silent) {}

    /** Checks and counts the samples of a file; adds their ids, which must be new. */
    private static Counted counted(Path file, Set<String> ids) {
        int before = ids.size();
        int acting = 0;
        int silent = 0;
        try (SampleReader samples = SampleReader.open(file)) {
            while (samples.hasNext()) {
                Sample sample = samples.next();
                if (!ids.add(sample.id())) {
                    throw new InvalidDataException(
                            file + ": the id \"" + sample.id()
                                    + "\" is a duplicate in this export; ids must be unique, and held-out samples must not be trained on");
                }
                acting += sample.labelled() && sample.wantsIntervention() ? 1 : 0;
                silent += sample.labelled() && !sample.wantsIntervention() ? 1 : 0;
            }
        }
        return new Counted(ids.size() - before, acting, silent);
    }

    private List<String> writtenSamples(ExportFolder folder) {
        try (SampleReader train = SampleReader.open(set);
                SampleReader test = testSet == null ? null : SampleReader.open(testSet)) {
            return folder.writeSamples(train, test);
        }
    }

    private ExportFolder.Summary supervised(ExportFolder folder, SftRecords records) {
        List<SftRecord> test = testSet == null
                ? List.of()
                : SftRecords.read(testSet).requirePrompts(records.prompt()).records();
        requireApart(records.records(), set, test, testSet);
        List<String> files = List.of();
        if (dryRun) {
            folder.checkSupervised(records, test);
        } else {
            files = folder.writeSupervised(records, test);
        }
        long acting = records.records().stream().filter(SftRecord::intervention).count();
        return summary("sft", records, new Splits(records.records(), test), acting, written(folder, files));
    }

    private ExportFolder.Summary rewarded(ExportFolder folder, SftRecords records, Path goldFile) {
        FunctionPool functions = pool.functions();
        RewardSettings settings = RewardSettings.read(reward);
        Map<String, Sample> samples =
                RewardGold.of(SampleReader.readAll(goldFile), goldFile.toString(), functions, pool.place());
        RewardFiles rewarding = new RewardFiles(samples, functions, settings);
        Splits splits = splits(records, new RewardedPrompts(records, samples, goldFile.toString()), rewarding);
        List<String> files = List.of();
        if (dryRun) {
            folder.checkRewarded(records, splits.train(), splits.test());
        } else {
            files = folder.writeRewarded(records, splits.train(), splits.test(), rewarding);
        }
        long acting = splits.train().stream()
                .filter(record ->
                        Objects.requireNonNull(samples.get(record.id())).wantsIntervention())
                .count();
        return summary("grpo", records, splits, acting, written(folder, files));
    }

    private Splits splits(SftRecords records, RewardedPrompts prompts, RewardFiles rewarding) {
        if (groups == null || model == null) {
            return new Splits(prompts.all(), List.of());
        }
        try (RewardedPrompts.RolledOut rolledOut = RewardedPrompts.RolledOut.open(model, records, rewarding)) {
            List<SftRecord> train = prompts.of(groups, rolledOut);
            List<SftRecord> test = testGroups == null ? List.of() : prompts.of(testGroups, rolledOut);
            requireApart(train, groups, test, testGroups);
            return new Splits(train, test);
        }
    }

    private static void requireApart(
            List<SftRecord> train, Path trainFile, List<SftRecord> test, @Nullable Path testFile) {
        Set<String> trained = train.stream().map(SftRecord::id).collect(Collectors.toSet());
        test.stream().map(SftRecord::id).filter(trained::contains).findFirst().ifPresent(id -> {
            throw new InvalidDataException(
                    testFile + ": \"" + id + "\" is in " + trainFile + " too; what is held out must not be trained on");
        });
    }

    private record Written(int images, List<String> files) {}

    private static Written written(ExportFolder folder, List<String> files) {
        return new Written(folder.images(), files);
    }

    private ExportFolder.Summary summary(
            String stage, SftRecords records, Splits splits, long acting, Written written) {
        return new ExportFolder.Summary(
                dryRun ? null : out.toString(),
                trainer.toString(),
                stage,
                splits.train().size(),
                splits.test().size(),
                acting,
                splits.train().size() - acting,
                records.records().stream().filter(SftRecord::rewrittenForOthers).count(),
                written.images(),
                written.files());
    }
}
