package dev.prpf.par.command;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.io.SampleReader;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.RemoteUsage;
import dev.prpf.par.plan.PlannedCommand;
import dev.prpf.par.plan.StageNeed;
import dev.prpf.par.plan.StagePlan;
import dev.prpf.par.sets.DataSftConfig;
import dev.prpf.par.sets.PerceivedSample;
import dev.prpf.par.sets.SamplePrompts;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.sets.SftSet;
import dev.prpf.par.teacher.ModelTeacher;
import dev.prpf.par.teacher.OfflineTeacher;
import dev.prpf.par.teacher.Teacher;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf data sft}: labelled samples to supervised pairs, a line each. */
@Command(
        name = "sft",
        description = "Make an SFT set of labelled samples: prompts and responses, reasoning included.",
        footer = {
            "",
            "Example:",
            "  ./prpf data sft --config configs/data-sft.yaml --data data/synth/train/benchmark_zh.json \\",
            "      --images data/synth/train --out runs/sft.jsonl",
            "With reasoning that a model on a server writes; run again to go on where it was:",
            "  ./prpf data sft --config configs/data-sft-prpf.yaml --data data/synth/train/benchmark_zh.json \\",
            "      --mpp runs/mpp --images data/synth/train --teacher configs/teacher.yaml --out runs/sft.jsonl"
        })
public final class SftSetCommand implements Runnable, PlannedCommand {
    @Mixin
    private ConfigOptions common = new ConfigOptions();

    @Option(names = "--data", required = true, paramLabel = "FILE", description = "Labelled samples.")
    private Path data;

    @Mixin
    private SampleOptions options = new SampleOptions();

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "The set, as JSON Lines; replaced.")
    private Path out;

    @Option(
            names = "--teacher",
            paramLabel = "FILE",
            description = "A model that writes the reasoning, see configs/teacher.yaml (default: the offline teacher).")
    private @Nullable Path teacher;

    private record Summary(
            @Nullable String out,
            @JsonUnwrapped SftSet.Counts counts,
            @Nullable RemoteUsage remote,
            String reasoning) {}

    @Override
    public void run() {
        DataSftConfig config = common.required(DataSftConfig.class, "data sft");
        ModelTeacher.Config remote = teacher == null ? null : teacher(config, teacher);
        AnswerJournal journal = new AnswerJournal(answers()); // opened by the teacher that uses it, and closed with it
        SftSet set = build(config, common.dryRun ? null : remote, journal);
        if (!common.dryRun) {
            SftRecords.write(out, set.records());
        }
        common.print(new Summary(
                common.dryRun ? null : out.toString(),
                set.counts(),
                remote == null || common.dryRun ? null : journal.usage(remote.price()),
                EnumName.of(config.prompt().reasoning())));
    }

    @Override
    public StageNeed need(StagePlan plan) {
        plan.makes(out, new StagePlan.Source(plan.source(data).records(), List.of("--set", out.toString())));
        return StageNeed.withoutModel();
    }

    private static ModelTeacher.Config teacher(DataSftConfig config, Path file) {
        if (!config.prompt().reasoning().reasons()) {
            throw new UsageException("--teacher " + file + " has nothing to write: prompt.reasoning = "
                    + EnumName.of(config.prompt().reasoning())
                    + "; set it to full, think-function or think-rec-function,"
                    + " or leave the teacher out");
        }
        return StrictYaml.read(file, ModelTeacher.Config.class, List.of());
    }

    /** Beside the set, {@code sft.answers.jsonl} for {@code sft.jsonl}. */
    private Path answers() {
        return out.resolveSibling(out.getFileName().toString().replaceFirst("\\.jsonl$", "") + ".answers.jsonl");
    }

    private SftSet build(DataSftConfig config, ModelTeacher.@Nullable Config remote, AnswerJournal journal) {
        options.requireUse(config.set());
        List<Sample> samples = SampleReader.readAll(data);
        try (StopSignal stop = StopSignal.install();
                SampleOptions.Reading reading = options.reading(config.encoder(), stop)) {
            SamplePrompts prompts = options.prompts(reading, config.prompt(), config.set());
            List<PerceivedSample> perceived = reading.perceived(samples);
            stop.requireNone();
            if (remote == null) {
                return SftSet.build(perceived, prompts, config.set(), new OfflineTeacher(reading.screens()));
            }
            ModelTeacher.Screens screens = new ModelTeacher.Screens(
                    reading.screens(), new ImageFolder(reading.settings().images()));
            try (Teacher model =
                    new ModelTeacher(remote.teacher(), client(remote, stop), journal, options.catalog(), screens)) {
                return SftSet.build(perceived, prompts, config.set(), model);
            }
        }
    }

    private static ChatClient client(ModelTeacher.Config remote, StopSignal stop) {
        return new ChatClient(remote.server(), remote.teacher().model(), System.getenv(), stop::requested);
    }
}
