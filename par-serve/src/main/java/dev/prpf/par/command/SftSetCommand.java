package dev.prpf.par.command;

import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.files.RecordLines;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.SampleReader;
import dev.prpf.mpp.Perception;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.RemoteUsage;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.sets.DataSftConfig;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftSet;
import dev.prpf.par.teacher.ModelTeacher;
import dev.prpf.par.teacher.Teacher;
import dev.prpf.par.teacher.TeacherConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
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
public final class SftSetCommand implements Callable<Integer> {
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

    @Override
    public Integer call() {
        DataSftConfig config = common.required(DataSftConfig.class, "data sft");
        TeacherConfig asked = teacher == null ? null : teacher(config, teacher);
        AnswerJournal journal = new AnswerJournal(answers()); // opened by the teacher that uses it, and closed with it
        SftSet set = build(config, common.dryRun ? null : asked, journal);
        if (!common.dryRun) {
            new RecordLines<>(SftRecord.class, "SFT record").write(out, set.records());
        }
        ResultStream.metrics(
                summary(config, set, asked == null || common.dryRun ? null : journal.usage(asked.price())),
                common.json);
        return 0;
    }

    private static TeacherConfig teacher(DataSftConfig config, Path file) {
        if (config.prompt().reasoning() == ReasoningMode.NONE) {
            throw new UsageException("--teacher " + file + " has nothing to write: prompt.reasoning = none;"
                    + " set it to full, or leave the teacher out");
        }
        return StrictYaml.read(file, TeacherConfig.class, List.of());
    }

    /** Beside the set, {@code sft.answers.jsonl} for {@code sft.jsonl}. */
    private Path answers() {
        return out.resolveSibling(out.getFileName().toString().replaceFirst("\\.jsonl$", "") + ".answers.jsonl");
    }

    private SftSet build(DataSftConfig config, @Nullable TeacherConfig asked, AnswerJournal journal) {
        List<Sample> samples = SampleReader.readAll(data);
        ScenarioCatalog catalog = options.catalog();
        try (SampleReading reading = options.reading(config.encoder(), catalog)) {
            PromptRenderer renderer = reading.renderer(config.prompt());
            SftSet.World world = new SftSet.World(options.functions(), catalog, renderer);
            List<Perception> perceptions = reading.perceptions(samples);
            if (asked == null) {
                return SftSet.build(samples, perceptions, world, config.set());
            }
            try (StopSignal stop = StopSignal.install();
                    Teacher model = new ModelTeacher(
                            asked.teacher(), client(asked, stop), journal, catalog, renderer.screens())) {
                return SftSet.build(samples, perceptions, world, config.set(), model);
            }
        }
    }

    private static ChatClient client(TeacherConfig asked, StopSignal stop) {
        return new ChatClient(asked.server(), asked.teacher().model(), System.getenv(), stop::requested);
    }

    private Map<String, @Nullable Object> summary(DataSftConfig config, SftSet set, @Nullable RemoteUsage usage) {
        Map<String, @Nullable Object> summary = new LinkedHashMap<>();
        summary.put("out", common.dryRun ? null : out.toString());
        summary.put("samples", set.samples());
        summary.put("records", set.records().size());
        summary.put("acting", set.acting());
        summary.put("silent", set.records().size() - set.acting());
        summary.put("dropped_targets", set.droppedTargets());
        summary.put("out_of_pool", set.outOfPool());
        summary.put("cut_samples", set.cutSamples());
        summary.put("teaching", set.teaching() == null ? null : set.teaching().byName());
        summary.put("remote", usage);
        summary.put("reasoning", config.prompt().reasoning().name().toLowerCase(Locale.ROOT));
        return summary;
    }
}
